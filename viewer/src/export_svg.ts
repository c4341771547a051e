/** The picture as SVG: paths, devices, labels and legends as vectors over the scene as an image. */

import { Vector3, type Camera, type Object3D } from "three";
import type { App } from "./app";
import { css } from "./colours";
import type { Devices } from "./devices";
import { project, type Label } from "./labels";
import type { Overlays } from "./overlays";
import { cornerVectors, pathColours, type PathLines } from "./paths_lines";
import type { Snapshots } from "./snapshot_data";
import { short, svg } from "./svg";
import { theme } from "./theme";

/** More paths than this make files that programs cannot open. */
const MAX_PATHS = 20_000;

export function svgOfView(
  app: App,
  overlays: Overlays,
  labels: readonly Label[],
  snapshots: Snapshots,
  lines: PathLines,
  devices: Devices,
): Blob {
  const { stage } = app;
  const { width, height } = stage.size();
  const camera = stage.camera.get();
  const root = svg("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    "font-family": "system-ui, sans-serif",
    "font-size": 12,
  });
  root.append(svg("image", { width, height, href: rasterOf(app, devices) }));
  root.append(pathGroup(app, snapshots, lines, camera), deviceGroup(app, devices), labelGroup(app, labels));
  for (const { element, turn, x, y } of overlays.list()) {
    const copy = element.cloneNode(true) as SVGSVGElement;
    copy.removeAttribute("style");
    const centre = `${short(element.width.baseVal.value / 2)} ${short(element.height.baseVal.value / 2)}`;
    root.append(svg("g", { transform: `translate(${short(x)} ${short(y)}) rotate(${short(turn)} ${centre})` }, [copy]));
  }
  return new Blob([new XMLSerializer().serializeToString(root)], { type: "image/svg+xml" });
}

/** The picture without what follows as vectors. */
function rasterOf(app: App, devices: Devices): string {
  const { stage } = app;
  const hidden: Object3D[] = [];
  stage.world.traverse((object) => {
    const isVector = object.userData["vector"] === true || object === devices.tx.group || object === devices.rx.group;
    if (isVector && object.visible) hidden.push(object);
  });
  for (const object of hidden) object.visible = false;
  stage.drawFull();
  const url = stage.canvas.toDataURL("image/png");
  for (const object of hidden) object.visible = true;
  stage.draw();
  return url;
}

function pathGroup(app: App, snapshots: Snapshots, lines: PathLines, camera: Camera): SVGGElement {
  const group = svg("g", { fill: "none", "stroke-width": 1.2, "stroke-linejoin": "round", "stroke-opacity": 0.9 });
  const data = snapshots.current.get();
  if (!data?.paths) return group;
  const { width, height } = app.stage.size();
  const colours = pathColours(data.paths, app.state.paths.colourBy.get());
  const rgb = new Uint8Array(3);
  // The weakest first, as in the picture.
  for (const path of [...lines.visible.get().subarray(0, MAX_PATHS)].reverse()) {
    const points: string[] = [];
    let isInFront = true;
    for (const corner of cornerVectors(data, path)) {
      const view = corner.clone().applyMatrix4(camera.matrixWorldInverse);
      isInFront &&= view.z < 0 && corner.z <= app.stage.cut.value;
      const place = corner.project(camera);
      points.push(`${short(((place.x + 1) * width) / 2)} ${short(((1 - place.y) * height) / 2)}`);
    }
    if (!isInFront) continue;
    colours.write(path, rgb);
    group.append(svg("polyline", { points: points.join(" "), stroke: css([rgb[0] ?? 0, rgb[1] ?? 0, rgb[2] ?? 0]) }));
  }
  return group;
}

function deviceGroup(app: App, devices: Devices): SVGGElement {
  const colours = theme();
  const group = svg("g", { stroke: colours.outline, "stroke-width": 1 });
  const place = (markers: Devices["rx"], i: number): [number, number] | null =>
    markers.group.visible ? project(app, markers.at(i)) : null;
  for (let i = 0; i < devices.rx.count(); i++) {
    const at = place(devices.rx, i);
    if (at) group.append(svg("circle", { cx: short(at[0]), cy: short(at[1]), r: 4, fill: css(devices.rx.colour(i)) }));
  }
  for (let i = 0; i < devices.tx.count(); i++) {
    const at = place(devices.tx, i);
    if (at)
      group.append(
        svg("path", { d: `M${short(at[0])} ${short(at[1] - 8)} l7 14 h-14 z`, fill: css(devices.tx.colour(i)) }),
      );
  }
  return group;
}

function labelGroup(app: App, labels: readonly Label[]): SVGGElement {
  const colours = theme();
  const group = svg("g", {
    fill: colours.text,
    stroke: colours.plate,
    "stroke-width": 3,
    "paint-order": "stroke",
    "font-weight": 600,
  });
  for (const { text, at } of labels) {
    const place = project(app, new Vector3().copy(at));
    if (place) group.append(svg("text", { x: short(place[0] + 10), y: short(place[1] - 8) }, [text]));
  }
  return group;
}
