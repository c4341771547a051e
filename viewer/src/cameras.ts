/** Orbit and plan cameras, and the views that frame something. */

import { type Box3, MathUtils, MOUSE, OrthographicCamera, PerspectiveCamera, Sphere, TOUCH, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Stage } from "./stage";
import type { CameraMode } from "./state";

export type Side = "north" | "east" | "south" | "west" | "top" | "corner";

export interface Cameras {
  perspective: PerspectiveCamera;
  plan: OrthographicCamera;
  mode(): CameraMode;
  setMode(mode: CameraMode): void;
  /** What orbit and plan turn about. */
  target(): Vector3;
  /** Puts the box in the picture as seen from a side; from where the camera is without one. */
  frame(box: Box3, side?: Side): void;
  /** Turns by degrees. */
  turn(azimuth: number, elevation: number): void;
  zoom(factor: number): void;
  /** Moves by shares of the picture's height, as seen at a place; by default at the target. */
  pan(right: number, up: number, at?: Vector3): void;
  /** How many metres a pixel is at the target. */
  metresPerPixel(): number;
}

const SIDES: Record<Side, [number, number]> = {
  // Azimuth from +x towards +y of the place of the camera, and its elevation.
  corner: [-135, 45],
  north: [90, 30],
  east: [0, 30],
  south: [-90, 30],
  west: [180, 30],
  top: [-90, 89.9],
};

export function createCameras(stage: Stage, bounds: Box3): Cameras {
  const perspective = new PerspectiveCamera(45, 1, 0.1, 1e5);
  perspective.up.set(0, 0, 1);
  const plan = new OrthographicCamera(-1, 1, 1, -1, 0.1, 1e5);
  plan.up.set(0, 1, 0);
  const orbit = controls(perspective, stage);
  const planar = controls(plan, stage);
  planar.enableRotate = false;
  planar.mouseButtons.LEFT = MOUSE.PAN;
  planar.touches.ONE = TOUCH.PAN;
  const sphere = bounds.getBoundingSphere(new Sphere());
  let mode: CameraMode = "orbit";
  stage.camera.set(perspective);
  planar.enabled = false;

  const resize = (width: number, height: number): void => {
    perspective.aspect = width / height;
    perspective.updateProjectionMatrix();
    const half = (plan.top - plan.bottom) / 2;
    plan.left = -half * perspective.aspect;
    plan.right = half * perspective.aspect;
    plan.updateProjectionMatrix();
  };
  stage.onResize(resize);
  resize(stage.size().width, stage.size().height);
  const setDepths = (): void => {
    const camera = mode === "plan" ? plan : perspective;
    const distance = camera.position.distanceTo(sphere.center);
    camera.far = distance + sphere.radius * 1.5 + 10;
    camera.near = Math.max(camera.far / 20_000, distance - sphere.radius * 1.5, 0.05);
    camera.updateProjectionMatrix();
  };
  stage.beforeDraw(setDepths);

  const frame = (box: Box3, side?: Side): void => {
    const centre = box.getCenter(new Vector3());
    if (mode === "plan") {
      framePlan(plan, planar, box, centre, perspective.aspect, sphere.center.z + sphere.radius * 2 + 10);
    } else {
      const direction = side ? directionOf(...SIDES[side]) : perspective.position.clone().sub(orbit.target).normalize();
      const { target, distance } = fit(box, direction, perspective);
      orbit.target.copy(target);
      perspective.position.copy(target).addScaledVector(direction, Math.max(distance * 1.03, 0.5));
      orbit.update();
    }
    // Whoever asks where something is need not wait for the picture.
    setDepths();
    stage.invalidate();
  };

  return {
    perspective,
    plan,
    mode: () => mode,
    setMode(next) {
      if (next === "plan" && mode !== "plan") {
        const height =
          2 * Math.tan(MathUtils.degToRad(perspective.fov / 2)) * perspective.position.distanceTo(orbit.target);
        plan.zoom = 1;
        plan.top = height / 2;
        plan.bottom = -height / 2;
        planar.target.copy(orbit.target);
        plan.position.set(orbit.target.x, orbit.target.y, sphere.center.z + sphere.radius * 2 + 10);
        planar.update();
      }
      if (mode === "plan" && next !== "plan") {
        const offset = perspective.position.clone().sub(orbit.target);
        orbit.target.x = planar.target.x;
        orbit.target.y = planar.target.y;
        perspective.position.copy(orbit.target).add(offset);
      }
      mode = next;
      orbit.enabled = next === "orbit";
      planar.enabled = next === "plan";
      stage.camera.set(next === "plan" ? plan : perspective);
      resize(stage.size().width, stage.size().height);
      if (next === "orbit") orbit.update();
      stage.invalidate();
    },
    target: () => (mode === "plan" ? planar.target : orbit.target),
    frame,
    turn(azimuth, elevation) {
      if (mode !== "orbit") return;
      const offset = perspective.position.clone().sub(orbit.target);
      const distance = offset.length();
      const oldAzimuth = MathUtils.radToDeg(Math.atan2(offset.y, offset.x));
      const oldElevation = MathUtils.radToDeg(Math.asin(offset.z / distance));
      const next = directionOf(oldAzimuth + azimuth, MathUtils.clamp(oldElevation + elevation, -89.9, 89.9));
      perspective.position.copy(orbit.target).addScaledVector(next, distance);
      orbit.update();
      stage.move();
    },
    zoom(factor) {
      if (mode === "plan") {
        plan.zoom *= factor;
        plan.updateProjectionMatrix();
      } else {
        perspective.position.sub(orbit.target).divideScalar(factor).add(orbit.target);
        orbit.update();
      }
      stage.move();
    },
    pan(right, up, at) {
      const camera = mode === "plan" ? plan : perspective;
      const control = mode === "plan" ? planar : orbit;
      const reach = visibleHeight(at);
      const shift = new Vector3().setFromMatrixColumn(camera.matrix, 0).multiplyScalar(right * reach);
      shift.add(new Vector3().setFromMatrixColumn(camera.matrix, 1).multiplyScalar(up * reach));
      control.target.add(shift);
      camera.position.add(shift);
      control.update();
      stage.move();
    },
    metresPerPixel: () => visibleHeight() / stage.size().height,
  };

  function visibleHeight(at = orbit.target): number {
    if (mode === "plan") return (plan.top - plan.bottom) / plan.zoom;
    const depth = at.clone().sub(perspective.position).dot(perspective.getWorldDirection(new Vector3()));
    return 2 * Math.tan(MathUtils.degToRad(perspective.fov / 2)) * depth;
  }
}

function controls(camera: PerspectiveCamera | OrthographicCamera, stage: Stage): OrbitControls {
  const result = new OrbitControls(camera, stage.canvas);
  result.enableDamping = false;
  result.zoomToCursor = true;
  result.screenSpacePanning = true;
  result.addEventListener("change", () => stage.move());
  return result;
}

export function directionOf(azimuth: number, elevation: number): Vector3 {
  const [a, e] = [MathUtils.degToRad(azimuth), MathUtils.degToRad(elevation)];
  return new Vector3(Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e));
}

/**
 * The nearest place that sees all corners of the box, looking along `-back`: `distance` behind `target`, which is as
 * deep in the picture as the centre of the box. Each edge of the picture is a plane that no corner may cross; two
 * opposite ones meet at the camera.
 */
export function fit(box: Box3, back: Vector3, camera: PerspectiveCamera): { target: Vector3; distance: number } {
  const right = new Vector3(0, 0, 1).cross(back).normalize();
  const up = back.clone().cross(right);
  const tanV = Math.tan(MathUtils.degToRad(camera.fov / 2));
  const [across, upwards] = [reach(box, right, back, tanV * camera.aspect), reach(box, up, back, tanV)];
  const depth = Math.max(across.depth, upwards.depth);
  const centre = box.getCenter(new Vector3()).dot(back);
  const target = right.multiplyScalar(across.centre).addScaledVector(up, upwards.centre).addScaledVector(back, centre);
  return { target, distance: depth - centre };
}

/** Where along `axis` and how far along `back` a camera sees all of a box, if its picture widens by `tan` each way. */
function reach(box: Box3, axis: Vector3, back: Vector3, tan: number): { centre: number; depth: number } {
  let [high, low] = [-Infinity, -Infinity];
  for (let i = 0; i < 8; i++) {
    const corner = new Vector3(
      i & 1 ? box.max.x : box.min.x,
      i & 2 ? box.max.y : box.min.y,
      i & 4 ? box.max.z : box.min.z,
    );
    const [along, deep] = [corner.dot(axis), corner.dot(back) * tan];
    high = Math.max(high, deep + along);
    low = Math.max(low, deep - along);
  }
  return { centre: (high - low) / 2, depth: (high + low) / (2 * tan) };
}

function framePlan(
  plan: OrthographicCamera,
  control: OrbitControls,
  box: Box3,
  centre: Vector3,
  aspect: number,
  height: number,
): void {
  const size = box.getSize(new Vector3());
  const half = Math.max(size.y, size.x / aspect, 0.5) * 0.53;
  plan.zoom = 1;
  plan.top = half;
  plan.bottom = -half;
  plan.left = -half * aspect;
  plan.right = half * aspect;
  control.target.copy(centre);
  plan.position.set(centre.x, centre.y, height);
  plan.updateProjectionMatrix();
  control.update();
}
