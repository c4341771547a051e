/** How shaders turn quantised values into colours: the same for maps, slices, points and surfaces. */

import {
  DataTexture,
  GLSL3,
  NearestFilter,
  RGBAFormat,
  ShaderMaterial,
  UnsignedByteType,
  Vector2,
  Vector3,
  type IUniform,
} from "three";
import { BUILDING, NOTHING } from "./colours";
import type { ColourScale } from "./scale";
import type { ArrayRef } from "./format";

export interface ValueUniforms {
  [name: string]: IUniform;
  uTable: IUniform<DataTexture>;
  /** Offset and scale of codes. */
  uCode: IUniform<Vector2>;
  uRange: IUniform<Vector2>;
  uThreshold: IUniform<number>;
  uServers: IUniform<boolean>;
  uOpacity: IUniform<number>;
  uNothing: IUniform<Vector3>;
  uBuilding: IUniform<Vector3>;
  /** Whether codes are those of `cell_classes.ts`, which tell buildings. */
  uClasses: IUniform<boolean>;
}

export const VALUE_COLOUR = `
uniform sampler2D uTable;
uniform vec2 uCode;
uniform vec2 uRange;
uniform float uThreshold;
uniform bool uServers;
uniform float uOpacity;
uniform vec3 uNothing;
uniform vec3 uBuilding;
uniform bool uClasses;
vec4 valueColour(float code) {
  if (uClasses && code > 65534.5) discard;
  if (code < 0.5) {
    if (uClasses) return vec4(uBuilding, uOpacity);
    discard;
  }
  if (code < 1.5) {
    if (uThreshold > -1e29) discard;
    return vec4(uNothing, uOpacity);
  }
  float value = uCode.x + uCode.y * (code - 2.0);
  if (value < uThreshold) discard;
  float place = (value - uRange.x) / (uRange.y - uRange.x);
  int index = uServers ? int(value + 0.5) % 256 : int(clamp(place, 0.0, 1.0) * 255.0 + 0.5);
  return vec4(texelFetch(uTable, ivec2(index, 0), 0).rgb, uOpacity);
}`;

export function valueUniforms(): ValueUniforms {
  return {
    uTable: { value: tableTexture(new Uint8Array(1024)) },
    uCode: { value: new Vector2(0, 1) },
    uRange: { value: new Vector2(0, 1) },
    uThreshold: { value: -1e30 },
    uServers: { value: false },
    uOpacity: { value: 1 },
    uNothing: { value: new Vector3(...NOTHING).divideScalar(255) },
    uBuilding: { value: new Vector3(...BUILDING).divideScalar(255) },
    uClasses: { value: false },
  };
}

export function setValueUniforms(
  uniforms: ValueUniforms,
  ref: ArrayRef,
  scale: ColourScale,
  threshold: number | null,
  opacity: number,
): void {
  uniforms.uTable.value.dispose();
  uniforms.uTable.value = tableTexture(scale.table);
  uniforms.uCode.value.set(ref.offset ?? 0, ref.scale ?? 1);
  uniforms.uRange.value.set(scale.low, scale.high);
  uniforms.uThreshold.value = threshold ?? -1e30;
  uniforms.uServers.value = scale.servers !== undefined;
  uniforms.uOpacity.value = opacity;
}

export function valueMaterial(
  uniforms: Record<string, IUniform>,
  vertexShader: string,
  fragmentShader: string,
): ShaderMaterial {
  return new ShaderMaterial({
    glslVersion: GLSL3,
    uniforms,
    vertexShader,
    fragmentShader: `${VALUE_COLOUR}\nout vec4 outColour;\n${fragmentShader}`,
    transparent: true,
  });
}

function tableTexture(table: Uint8Array<ArrayBuffer>): DataTexture {
  const texture = new DataTexture(table, 256, 1, RGBAFormat, UnsignedByteType);
  texture.magFilter = NearestFilter;
  texture.minFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}
