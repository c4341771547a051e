/** Marks of constant size on the screen, for devices and measured points. */

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  Group,
  type IUniform,
  Points,
  ShaderMaterial,
  type Camera,
  Vector3,
} from "three";
import type { Stage } from "./stage";
import { theme, watchTheme } from "./theme";

export type MarkerShape = "disc" | "triangle" | "square";

/** Many marks are small, so that they leave something of the picture. */
export function markSize(count: number, size: number): number {
  return Math.max(4, size - 2 * Math.max(0, Math.log10(Math.max(1, count) / 50)) * 2.2);
}

export interface Markers {
  group: Group;
  count(): number;
  setPositions(positions: Float32Array<ArrayBuffer>): void;
  /** In pixels. */
  setSize(size: number): void;
  /** RGB bytes of each mark; a fourth number of zero hides it. */
  setColours(colours: Uint8Array<ArrayBuffer>): void;
  select(index: number | null): void;
  at(index: number): Vector3;
  colour(index: number): [number, number, number];
  /** The nearest mark to a place of the picture in pixels, and how far it is from it. */
  nearest(x: number, y: number, camera: Camera, reach: number): number | null;
}

const SHAPES: Record<MarkerShape, number> = { disc: 0, triangle: 1, square: 2 };

const VERTEX = `
attribute vec4 colour;
attribute float chosen;
uniform float uSize;
uniform float uRatio;
uniform float uCut;
varying vec4 vColour;
varying float vChosen;
void main() {
  vColour = colour;
  vChosen = chosen;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = uSize * uRatio * (1.0 + 0.6 * chosen);
  if (colour.a < 0.5 || position.z > uCut) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}`;

const FRAGMENT = `
uniform vec3 uOutline;
uniform float uOpacity;
uniform int uShape;
varying vec4 vColour;
varying float vChosen;
void main() {
  vec2 p = gl_PointCoord * 2.0 - 1.0;
  float square = max(abs(p.x), abs(p.y));
  float triangle = max(p.y, abs(p.x) * 1.2 - p.y * 0.6 - 0.4);
  float edge = uShape == 0 ? length(p) : uShape == 1 ? triangle : square;
  if (edge > 1.0) discard;
  float rim = uShape == 1 ? 0.66 : 0.76;
  vec3 outline = vChosen > 0.5 ? vec3(1.0, 0.85, 0.1) : uOutline;
  gl_FragColor = vec4(edge > rim ? outline : vColour.rgb, uOpacity);
}`;

export function createMarkers(stage: Stage, shape: MarkerShape, size: number): Markers {
  const geometry = new BufferGeometry();
  const outline: IUniform<Color> = { value: new Color(theme().outline) };
  const ratio = { value: 1 };
  const pixels = { value: size };
  const material = (ghost: boolean): ShaderMaterial =>
    new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: {
        uSize: pixels,
        uRatio: ratio,
        uCut: stage.cut,
        uOutline: outline,
        uOpacity: { value: ghost ? 0.22 : 1 },
        uShape: { value: SHAPES[shape] },
      },
      transparent: ghost,
      depthTest: !ghost,
      depthWrite: !ghost,
    });
  const group = new Group();
  // Marks behind walls shine through faintly.
  for (const ghost of [true, false]) {
    const points = new Points(geometry, material(ghost));
    points.frustumCulled = false;
    points.renderOrder = ghost ? 6 : 5;
    group.add(points);
  }
  stage.world.add(group);
  let positions = new Float32Array(0);
  let colours = new Uint8Array(0);
  let selected: number | null = null;
  stage.beforeDraw(() => {
    ratio.value = stage.renderer.getPixelRatio();
  });
  watchTheme(() => {
    outline.value.set(theme().outline);
    stage.invalidate();
  });
  const mark = (): void => {
    const chosen = new Float32Array(positions.length / 3);
    if (selected !== null && selected < chosen.length) chosen[selected] = 1;
    geometry.setAttribute("chosen", new BufferAttribute(chosen, 1));
    stage.invalidate();
  };
  return {
    group,
    count: () => positions.length / 3,
    setPositions(next) {
      positions = next;
      geometry.setAttribute("position", new BufferAttribute(next, 3));
      mark();
    },
    setSize(next) {
      pixels.value = next;
    },
    setColours(next) {
      colours = next;
      geometry.setAttribute("colour", new BufferAttribute(next, 4, true));
      stage.invalidate();
    },
    select(index) {
      selected = index;
      mark();
    },
    at: (index) => new Vector3(...positions.subarray(index * 3, index * 3 + 3)),
    colour: (index) => [...colours.subarray(index * 4, index * 4 + 3)] as [number, number, number],
    nearest(x, y, camera, reach) {
      if (!group.visible) return null;
      const { width, height } = stage.size();
      const matrix = camera.projectionMatrix.clone().multiply(camera.matrixWorldInverse);
      const point = new Vector3();
      let best: number | null = null;
      let bestCost = Infinity;
      for (let i = 0; i < positions.length / 3; i++) {
        if (colours[i * 4 + 3] === 0 || (positions[i * 3 + 2] as number) > stage.cut.value) continue;
        point.fromArray(positions, i * 3).applyMatrix4(matrix);
        if (Math.abs(point.z) > 1) continue;
        const distance = Math.hypot(((point.x + 1) * width) / 2 - x, ((1 - point.y) * height) / 2 - y);
        // Of marks about equally near to the cursor, the one nearer to the camera.
        const cost = Math.round(distance / 3) * 2 + point.z;
        if (distance <= reach && cost < bestCost) {
          bestCost = cost;
          best = i;
        }
      }
      return best;
    },
  };
}
