# keller in a container, for the files of the folder where it is started:
#
#     docker build -t keller .
#     docker run --rm -v "$PWD:/work" keller demo
#
# With `--user "$(id -u):$(id -g)"` the results belong to you, whoever you are. `--build-arg FEATURES=` leaves out
# graphics cards. For those, `keller gpus` says what the container sees; Nvidia's need `--gpus all` and
# `-e NVIDIA_DRIVER_CAPABILITIES=all`.

FROM rust:1-bookworm AS build
ARG FEATURES=gpu
WORKDIR /keller
COPY . .
RUN cargo build --locked --release -p keller-cli --features "$FEATURES" \
    && mkdir documents \
    && cp LICENSE-* documents/ \
    && ci/notices --features "$FEATURES" > documents/THIRD-PARTY-NOTICES.txt

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends libvulkan1 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 1000 keller \
    && install -d -o keller -g keller /work
COPY --from=build /keller/documents /usr/local/share/doc/keller
COPY --from=build /keller/target/release/keller /usr/local/bin/keller
USER 1000
WORKDIR /work
ENTRYPOINT ["keller"]
