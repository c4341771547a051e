/** The renderer: draws on demand, follows the size of its element, and draws coarser while it would be slow. */

import {
  Color,
  ColorManagement,
  LinearSRGBColorSpace,
  Plane,
  Scene,
  Vector3,
  WebGLRenderer,
  type Camera,
  type IUniform,
} from "three";
import { ViewError } from "./failure";
import { signal, type Signal } from "./signal";
import { theme, watchTheme } from "./theme";

export interface Stage {
  canvas: HTMLCanvasElement;
  renderer: WebGLRenderer;
  world: Scene;
  camera: Signal<Camera>;
  /** Height above which nothing is drawn, relative to the origin; for shaders of our own. */
  cut: IUniform<number>;
  /** The same as a plane for the materials of three; empty if nothing is cut. */
  cutPlanes: Plane[];
  /** Whether pictures take long here, so that shading should be simple. */
  slow: Signal<boolean>;
  /** Whether the camera moves just now. */
  moving: Signal<boolean>;
  /** How much of what is costly should be drawn in this picture, at most 1. */
  detail(): number;
  setCut(height: number | null): void;
  /** Draws before long. */
  invalidate(): void;
  /** Draws at once. */
  draw(): void;
  /** Draws at once and with all detail, even if the camera has just moved. */
  drawFull(): void;
  /** Tells that the camera moves, so that the next pictures should come fast. */
  move(): void;
  beforeDraw(callback: () => void): void;
  afterDraw(callback: () => void): void;
  onResize(callback: (width: number, height: number) => void): void;
  size(): { width: number; height: number };
  /** Pictures per second of the last movement. */
  frameRate(): number;
}

const FAST_ENOUGH_MS = 36;
const REST_MS = 160;
/** Coarser than this is no picture any more. */
const MIN_DETAIL = 0.15;
const MIN_RATIO = 0.55;

export function createStage(element: HTMLElement): Stage {
  // Colours are given and mixed as the screen shows them.
  ColorManagement.enabled = false;
  const software = isSoftware();
  const canvas = document.createElement("canvas");
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-label", "Picture of the scene. Arrow keys turn it, ? lists all keys.");
  element.prepend(canvas);
  const renderer = createRenderer(canvas, !software);
  renderer.outputColorSpace = LinearSRGBColorSpace;
  const world = new Scene();
  const camera = signal<Camera>(undefined as unknown as Camera);
  const plane = new Plane(new Vector3(0, 0, -1), 0);
  const cutPlanes: Plane[] = [];
  const cut = { value: 1e30 };
  const before: (() => void)[] = [];
  const after: (() => void)[] = [];
  const resized: ((width: number, height: number) => void)[] = [];
  const slow = signal(software);
  const moving = signal(false);
  const fullRatio = software ? 1 : Math.min(2, window.devicePixelRatio || 1);
  let ratio = fullRatio;
  let detail = software ? 0.3 : 1;
  let pending = 0;
  let rest = 0;
  let last = 0;
  let intervals: number[] = [];
  let rate = 0;

  /** Only right before drawing, as it clears the picture. */
  const setRatio = (): void => {
    const next = moving.get() ? fullRatio * Math.max(MIN_RATIO, Math.sqrt(detail)) : fullRatio;
    if (next === ratio) return;
    ratio = next;
    renderer.setPixelRatio(ratio);
  };
  const draw = (): void => {
    if (pending) cancelAnimationFrame(pending);
    pending = 0;
    setRatio();
    for (const callback of before) callback();
    renderer.render(world, camera.get());
    for (const callback of after) callback();
  };
  const invalidate = (): void => {
    if (!pending) pending = requestAnimationFrame(draw);
  };
  const stop = (): void => {
    clearTimeout(rest);
    moving.set(false);
    last = 0;
    invalidate();
  };
  const measure = (): void => {
    if (!moving.get()) return;
    const now = performance.now();
    if (last) intervals.push(now - last);
    last = now;
    if (intervals.length < 8) return;
    const recent = intervals.slice(-8);
    const mean = recent.reduce((sum, value) => sum + value, 0) / recent.length;
    rate = (1000 * intervals.length) / intervals.reduce((sum, value) => sum + value, 0);
    if (mean < FAST_ENOUGH_MS || intervals.length % 8 !== 0) return;
    // First simpler shading, then fewer pixels and fewer paths.
    if (!slow.get()) slow.set(true);
    else detail = Math.max(MIN_DETAIL, detail * 0.6);
  };
  after.push(measure);
  renderer.setPixelRatio(ratio);

  const recolour = (): void => {
    world.background = new Color(theme().background);
    invalidate();
  };
  recolour();
  watchTheme(recolour);

  new ResizeObserver(() => {
    const { width, height } = size();
    renderer.setSize(width, height, false);
    for (const callback of resized) callback(width, height);
    if (camera.get()) draw();
  }).observe(element);
  const size = (): { width: number; height: number } => ({
    width: Math.max(1, element.clientWidth),
    height: Math.max(1, element.clientHeight),
  });
  renderer.setSize(size().width, size().height, false);
  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", invalidate);

  return {
    canvas,
    renderer,
    world,
    camera,
    cut,
    cutPlanes,
    slow,
    moving,
    detail: () => (moving.get() ? detail : 1),
    setCut(height) {
      cut.value = height ?? 1e30;
      plane.constant = cut.value;
      cutPlanes.splice(0, cutPlanes.length, ...(height === null ? [] : [plane]));
      renderer.localClippingEnabled = height !== null;
      invalidate();
    },
    invalidate,
    draw,
    drawFull() {
      stop();
      draw();
    },
    move() {
      if (!moving.get()) {
        intervals = [];
        last = 0;
        moving.set(true);
      }
      clearTimeout(rest);
      rest = window.setTimeout(stop, REST_MS);
      invalidate();
    },
    beforeDraw: (callback) => before.push(callback),
    afterDraw: (callback) => after.push(callback),
    onResize: (callback) => resized.push(callback),
    size,
    frameRate: () => rate,
  };
}

function createRenderer(canvas: HTMLCanvasElement, antialias: boolean): WebGLRenderer {
  const context = canvas.getContext("webgl2", { antialias, alpha: false, powerPreference: "high-performance" });
  if (!context) {
    throw new ViewError(
      "This browser offers no WebGL 2, which the viewer needs: try another browser or switch on graphics.",
    );
  }
  return new WebGLRenderer({ canvas, context, antialias });
}

/** Whether pictures are drawn by the processor instead of graphics hardware. */
function isSoftware(): boolean {
  const probe = document.createElement("canvas").getContext("webgl2");
  if (!probe) return true;
  let name = String(probe.getParameter(probe.RENDERER));
  // Some browsers tell at once; for the others there is an extension, which the first ones complain about.
  const info = name === "WebKit WebGL" ? probe.getExtension("WEBGL_debug_renderer_info") : null;
  if (info) name = String(probe.getParameter(info.UNMASKED_RENDERER_WEBGL));
  probe.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|softpipe|basic render/i.test(name);
}
