/** Arrows from Tx that have a direction, and one name for Tx that stand together. */

import { BufferAttribute, BufferGeometry, DoubleSide, Group, Mesh, MeshBasicMaterial, Vector3 } from "three";
import { local, type App } from "./app";
import { css, serverColour } from "./colours";
import type { Snapshot, Tx } from "./format";
import type { Label } from "./labels";
import { txName } from "./snapshot_data";
import { theme, watchTheme } from "./theme";

/** Tx nearer than this to each other stand together, metres. */
const SAME_SITE = 2;
/** How long an arrow is, pixels, and more arrows than this only cover the scene. */
const ARROW = 46;
const MAX_ARROWS = 300;

export interface Sectors {
  group: Group;
  /** Those of a snapshot. */
  set(snapshot: Snapshot): void;
}

export function createSectors(app: App): Sectors {
  const { stage, view } = app;
  const group = new Group();
  const shape = arrowShape(0);
  const rim = arrowShape(0.06);
  // Behind the arrow, also where both are equally deep.
  const rimMaterial = new MeshBasicMaterial({ side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1 });
  rimMaterial.polygonOffsetUnits = 4;
  const colourRim = (): void => {
    rimMaterial.color.set(theme().outline);
    stage.invalidate();
  };
  colourRim();
  watchTheme(colourRim);
  stage.world.add(group);
  stage.beforeDraw(() => {
    const camera = stage.camera.get();
    camera.updateMatrixWorld();
    const { height } = stage.size();
    for (const arrow of group.children) {
      arrow.visible = arrow.position.z <= stage.cut.value;
      // In the middle of the picture a unit has this many pixels.
      const depth = arrow.position.clone().applyMatrix4(camera.matrixWorldInverse).z;
      const scale = camera.projectionMatrix.elements[5] as number;
      const isPerspective = camera.projectionMatrix.elements[15] === 0;
      arrow.scale.setScalar((2 * ARROW * (isPerspective ? Math.max(-depth, 0.01) : 1)) / (scale * height));
    }
  });
  return {
    group,
    set(snapshot) {
      for (const arrow of group.children) ((arrow as Mesh).material as MeshBasicMaterial).dispose();
      group.clear();
      snapshot.tx.slice(0, MAX_ARROWS).forEach((tx, i) => {
        if (!tx.direction_deg) return;
        const [bearing, downtilt] = tx.direction_deg.map((angle) => (angle * Math.PI) / 180);
        const material = new MeshBasicMaterial({ color: css(serverColour(i)), side: DoubleSide });
        const arrow = new Mesh(shape, material);
        arrow.add(new Mesh(rim, rimMaterial));
        arrow.position.copy(local(view, tx.at));
        arrow.rotation.set(0, downtilt ?? 0, bearing ?? 0, "ZYX");
        arrow.renderOrder = 4;
        group.add(arrow);
      });
      stage.invalidate();
    },
  };
}

/** An arrow of length one along x, flat, wider by `rim` all round. It begins beside the mark of the Tx. */
function arrowShape(rim: number): BufferGeometry {
  const [tail, neck, tip] = [0.25 - rim, 0.62 - rim, 1 + 2 * rim];
  const [shaft, head] = [0.08 + rim, 0.22 + 1.6 * rim];
  const corners = [
    [tail, -shaft],
    [neck + 0.04, -shaft],
    [neck + 0.04, shaft],
    [tail, shaft],
    [neck, -head],
    [tip, 0],
    [neck, head],
  ];
  const geometry = new BufferGeometry();
  const positions = Float32Array.from(corners.flatMap(([x, y]) => [x ?? 0, y ?? 0, 0]));
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setIndex([0, 1, 2, 0, 2, 3, 4, 5, 6]);
  return geometry;
}

/** One label for all Tx of a site. */
export function siteLabels(snapshot: Snapshot, at: (index: number) => Vector3): Label[] {
  const sites: { at: Vector3; members: number[] }[] = [];
  snapshot.tx.forEach((_, i) => {
    const place = at(i);
    const site = sites.find((one) => one.at.distanceTo(place) <= SAME_SITE);
    if (site) site.members.push(i);
    else sites.push({ at: place, members: [i] });
  });
  return sites.map((site) => ({ at: site.at, text: siteName(snapshot, site.members) }));
}

/** What the names of its Tx have in common, and how many they are. */
function siteName(snapshot: Snapshot, members: readonly number[]): string {
  const names = members.map((i) => txName(snapshot, i));
  const [first = ""] = names;
  if (members.length === 1) return first;
  let common = first;
  for (const name of names) while (!name.startsWith(common)) common = common.slice(0, -1);
  const hasDirection = (tx: Tx | undefined): boolean => tx?.direction_deg !== undefined;
  const kind = members.every((i) => hasDirection(snapshot.tx[i])) ? "sectors" : "Tx";
  common = common.replace(/[\s\-_#/:.,(]+$/, "");
  return common ? `${common} (${members.length} ${kind})` : names.join(", ");
}
