/** Puts the page together. */

import { Box3, type Vector3 } from "three";
import { createApi, type Api } from "./api";
import { local, type App } from "./app";
import { createCameras, type Side } from "./cameras";
import { addCellMaps } from "./cell_map";
import { addClutter } from "./clutter";
import { addDevices } from "./devices";
import { download, fileName } from "./download";
import { pngOfView } from "./export_png";
import { svgOfView } from "./export_svg";
import { showFailure } from "./failure";
import type { View } from "./format";
import { addHelp } from "./help";
import { addKeys } from "./keys";
import { addLinkPanel } from "./link_panel";
import { readManifest } from "./manifest";
import { addMeasured } from "./measured";
import { addOverlays } from "./overlays";
import { addPanel } from "./panel/panel";
import { deviceSection } from "./panel/device_section";
import { el } from "./panel/controls";
import { exportSection } from "./panel/export_section";
import { pathSection } from "./panel/path_section";
import { sceneSection } from "./panel/scene_section";
import { mapSection, measuredSection, surfaceSection } from "./panel/value_sections";
import { viewSection } from "./panel/view_section";
import { openParts, partsOfPage } from "./parts";
import { addPathPicking } from "./path_picking";
import { addPaths } from "./paths_lines";
import { addPicking } from "./picking";
import { addPointPanel } from "./point_panel";
import { addScene } from "./scene_mesh";
import { openSnapshots } from "./snapshot_data";
import { createStage } from "./stage";
import { createState } from "./state";
import { addLights } from "./sun";
import { firstBox, startOfWalk } from "./first_view";
import { addSurfaces } from "./surfaces";
import { uncover } from "./uncover";
import { usePlainUnits } from "./units";
import { addWalk } from "./walk";

const ANNOUNCE_MS = 300;

async function open(root: HTMLElement, publish: (api: Omit<Api, "ready">) => void): Promise<void> {
  const view: View = readManifest(document.getElementById("view")?.textContent);
  usePlainUnits(view);
  document.title = view.title ? `${view.title} - keller` : "keller";
  const picture = el("main", "picture");
  root.append(picture);
  const status = el("div", "status");
  status.hidden = true;
  const live = el("div", "unseen");
  live.setAttribute("aria-live", "polite");
  const cards = el("div", "cards");
  const served = location.protocol === "http:" || location.protocol === "https:";
  let announcing = 0;
  const report = (error: unknown): void => showFailure(root, error, false);
  const app: App = {
    view,
    parts: openParts(partsOfPage(document, served), view.parts),
    state: createState(),
    stage: createStage(picture),
    picture,
    announce(text) {
      clearTimeout(announcing);
      announcing = window.setTimeout(() => (live.textContent = text), ANNOUNCE_MS);
    },
    report,
    attempt: (work) => {
      work.catch(report);
    },
  };
  const { stage, state } = app;
  const bounds = new Box3(local(view, view.bounds[0]), local(view, view.bounds[1]));
  const cameras = createCameras(stage, bounds);
  const measuredAt = view.measured.map((one) => one.positions);
  const places = [view.snapshots[0]?.rx.positions, ...measuredAt].filter((ref) => ref !== undefined);
  const seen = await Promise.all(places.map((ref) => app.parts.f32(ref)));
  const corners = view.scene ? await app.parts.f32(view.scene.positions) : new Float32Array(0);
  const start = firstBox(view, bounds, seen, corners);
  cameras.frame(start, "corner");
  addLights(app);
  const mesh = await addScene(app);
  // Indoors, ceilings would hide everything.
  const masts = view.snapshots[0]?.tx.map((tx) => local(view, tx.at)) ?? [];
  const isCovered = (place: Vector3): boolean => mesh?.isCovered(place) ?? false;
  const isIndoors = masts.length > 0 && masts.every(isCovered);
  if (isIndoors) state.roofs.set(false);
  stage.drawFull();

  const snapshots = openSnapshots(app);
  const devices = addDevices(app, snapshots);
  const lines = addPaths(app, snapshots);
  const maps = addCellMaps(app, { isCovered, isIndoors });
  const surfaces = addSurfaces(app);
  const measured = addMeasured(app);
  const overlays = addOverlays(app, cameras, [maps.scale, surfaces.scale, measured.scale, lines.scale, devices.scale]);
  picture.append(status, cards, live);
  // On small screens the scale bar stands on the card.
  new ResizeObserver(() => picture.style.setProperty("--cards", `${cards.offsetHeight}px`)).observe(cards);

  const frame = (side: Side): void => {
    if (state.camera.get() === "walk") state.camera.set("orbit");
    cameras.frame(side === "corner" ? start : bounds, state.camera.get() === "plan" ? undefined : side);
  };
  const help = addHelp(root);
  const links = addLinkPanel(app, snapshots, cards, (card, rx) => uncover(app, cameras, devices.rx, card, rx));
  addPointPanel(app, measured, cards);
  const startWalk = (): Vector3 => startOfWalk(snapshots.current.get(), state.rx.get(), isCovered, cameras.target());
  const walk = addWalk(app, cameras, mesh, startWalk);
  state.camera.watch((mode) => {
    if (cameras.mode() === "walk") walk.leave();
    cameras.setMode(mode);
    if (mode === "walk") walk.enter();
  });
  const picking = addPicking(app, { mesh, maps, surfaces, devices, measured }, status);
  addPathPicking(app, snapshots, links.drawn);
  addKeys(app, cameras, frame, help, picking);
  const png = (): Promise<Blob> => pngOfView(app, overlays, devices.labels());
  const svg = (): Blob => svgOfView(app, overlays, devices.labels(), snapshots, lines, devices);
  const save = async (ending: string, make: () => Blob | Promise<Blob>): Promise<void> =>
    download(fileName(view.title, ending), await make());
  addPanel(app, root, [
    sceneSection(app, walk),
    viewSection(app, frame, help.open),
    deviceSection(app),
    pathSection(app, snapshots, lines),
    mapSection(app),
    surfaceSection(app),
    measuredSection(app),
    exportSection(
      () => app.attempt(save("png", png)),
      () => app.attempt(save("svg", svg)),
    ),
  ]);
  const settled = async (): Promise<void> => {
    await Promise.all([maps.settled(), surfaces.settled(), measured.settled()]);
  };
  publish(createApi({ app, cameras, snapshots, lines, links, devices, maps, mesh, settled, png, svg }));
  await Promise.all([snapshots.show(0), addClutter(app), settled()]);
  stage.draw();
}

const root = document.getElementById("root") as HTMLElement;
const shared: Partial<Api> = {};
// Before the rest is known, so that whoever waits learns also of failures.
Object.assign(window, { keller: shared });
shared.ready = open(root, (api) => Object.assign(shared, api));
shared.ready.catch((error: unknown) => showFailure(root, error, true));
