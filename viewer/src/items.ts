// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The items of a document as objects of three.js. Arrays are views into the document's buffer: what
// the server sent is what the graphics card gets, without a copy in between.
import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  Group,
  IcosahedronGeometry,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Sphere,
  Vector3,
} from 'three';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import { LineSegments2 } from 'three/examples/jsm/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/examples/jsm/lines/LineSegmentsGeometry.js';
import { colourTable, shadeTable } from './colours';
import type { ArrayRef, Geometry, Item, Loaded } from './document';
import { pointsAt, poseAt, poseMatrix } from './motion';

const floats = (loaded: Loaded, ref: ArrayRef, width: number): Float32Array =>
  new Float32Array(loaded.buffer, ref.offset, width * ref.count);

/** Lines from this width on [pixels] are drawn over everything. */
const thickLine = 4;

/** Points of an item that the camera looks at when it chooses its place. */
const mostSamples = 400;

/** What of an item fades to when others are looked at. */
const fadedOpacity = 0.07;

/** Back faces are seen where the section plane cuts a body open: flat and dark, like a cut. */
function darkenCuts(material: MeshStandardMaterial): void {
  material.onBeforeCompile = (shader): void => {
    shader.fragmentShader = shader.fragmentShader.replace(
      '#include <opaque_fragment>',
      `if (!gl_FrontFacing && opacity >= 1.0) outgoingLight = diffuseColor.rgb * 0.42;
       #include <opaque_fragment>`,
    );
  };
}

/**
 * Draws nothing but the depth of a surface that is seen through, before its colours: only its nearest sheet is
 * coloured then. Without it, sheets of one surface would shine through each other triangle by triangle.
 */
function nearestOnly(mesh: Mesh): Mesh {
  const depth = new Mesh(
    mesh.geometry,
    new MeshBasicMaterial({ colorWrite: false, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }),
  );
  // After what is solid: the robot in a vessel is drawn first, and shines through.
  depth.renderOrder = 1;
  depth.userData.depthOnly = true;
  mesh.renderOrder = 2;
  return depth;
}

/** The geometries of a document, made when first asked for. */
export class Geometries {
  private readonly surfaces = new Map<number, BufferGeometry>();
  private readonly outlines = new Map<number, BufferGeometry>();

  constructor(private readonly loaded: Loaded) {}

  describe(index: number): Geometry {
    const geometry = this.loaded.document.geometries[index];
    if (!geometry) throw new Error(`The document has no geometry ${index}.`);
    return geometry;
  }

  surface(index: number): BufferGeometry {
    let made = this.surfaces.get(index);
    if (!made) {
      const g = this.describe(index);
      const positions = floats(this.loaded, g.positions, 3);
      made = new BufferGeometry();
      made.setAttribute('position', new BufferAttribute(positions, 3));
      const normals = new Int8Array(this.loaded.buffer, g.normals.offset, 4 * g.normals.count);
      // The fourth byte is padding: rows of four are what graphics cards read fast.
      made.setAttribute('normal', new BufferAttribute(normals, 4, true));
      made.setIndex(new BufferAttribute(new Uint32Array(this.loaded.buffer, g.faces.offset, 3 * g.faces.count), 1));
      made.boundingBox = new Box3().setFromArray(positions);
      made.boundingSphere = made.boundingBox.getBoundingSphere(new Sphere());
      this.surfaces.set(index, made);
    }
    return made;
  }

  outline(index: number): BufferGeometry | null {
    const g = this.describe(index);
    if (g.edges.count === 0) return null;
    let made = this.outlines.get(index);
    if (!made) {
      const surface = this.surface(index);
      made = new BufferGeometry();
      made.setAttribute('position', surface.getAttribute('position'));
      made.setIndex(new BufferAttribute(new Uint32Array(this.loaded.buffer, g.edges.offset, 2 * g.edges.count), 1));
      made.boundingBox = surface.boundingBox;
      made.boundingSphere = surface.boundingSphere;
      this.outlines.set(index, made);
    }
    return made;
  }

  dispose(): void {
    for (const geometry of [...this.surfaces.values(), ...this.outlines.values()]) geometry.dispose();
  }
}

export function cornersOf(box: Box3): Vector3[] {
  return [0, 1, 2, 3, 4, 5, 6, 7].map(
    (i) => new Vector3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z),
  );
}

/** One item in the scene. */
export class ItemView {
  readonly object = new Group();
  readonly triangles: number;
  /** What the user wants; `update` decides with the rest. */
  wanted: boolean;
  private readonly bounds = new Box3();
  private readonly offset = new Vector3();
  private readonly center = new Vector3();
  private readonly pose = new Matrix4();
  private faded = false;
  private selected = false;
  private surface: MeshStandardMaterial | null = null;
  private outline: LineBasicMaterial | null = null;
  private lineMaterial: LineMaterial | null = null;
  private lines: LineSegmentsGeometry | null = null;
  private balls: InstancedMesh | null = null;
  private radii: Float32Array | null = null;
  private points: Float32Array | null = null;
  private moving: Float32Array | null = null;
  private values: Float32Array | null = null;
  private count = 0;
  private isLive = false;
  private shadeTable: Uint8Array | null = null;

  constructor(
    readonly item: Item,
    readonly index: number,
    private readonly loaded: Loaded,
    private readonly geometries: Geometries,
  ) {
    this.wanted = item.visible;
    this.object.matrixAutoUpdate = false;
    if (item.motion?.points) this.points = floats(loaded, item.motion.points, 3);
    if (item.values) this.values = floats(loaded, item.values, 1);
    if (item.shape === 'mesh') this.triangles = this.makeMesh();
    else if (item.shape === 'spheres') this.triangles = this.makeSpheres();
    else this.triangles = this.makeLines();
    this.object.traverse((child) => {
      child.userData.itemIndex = index;
    });
    this.moveTo(item.motion?.times[0] ?? 0);
  }

  /** Where it is now, in the world. */
  box(out = new Box3()): Box3 {
    return out.copy(this.bounds).applyMatrix4(this.object.matrix);
  }

  /** Points of it in the world, a few hundred: what the camera has to show. */
  samples(): Vector3[] {
    if (this.item.motion) {
      const box = this.sweptBox();
      return box.isEmpty() ? [] : cornersOf(box);
    }
    const points: Vector3[] = [];
    const take = (array: ArrayLike<number>, width: number, reach: (i: number) => number): void => {
      const count = Math.floor(array.length / width);
      const step = Math.max(1, Math.floor(count / mostSamples));
      for (let i = 0; i < count; i += step) {
        const p = new Vector3(array[width * i] ?? 0, array[width * i + 1] ?? 0, array[width * i + 2] ?? 0);
        const r = reach(i);
        if (r > 0) for (const [k, sign] of [[0, -r], [0, r], [1, -r], [1, r], [2, -r], [2, r]] as const) points.push(p.clone().setComponent(k, p.getComponent(k) + sign));
        else points.push(p);
      }
    };
    if (this.item.shape === 'mesh') {
      const mesh = this.object.children[0] as Mesh<BufferGeometry> | undefined;
      if (mesh) take((mesh.geometry.getAttribute('position') as BufferAttribute).array, 3, () => 0);
    } else if (this.moving && this.radii) {
      const { radii } = this;
      take(this.moving, 3, (i) => radii[i] ?? 0);
    } else if (this.item.lines) {
      take(floats(this.loaded, this.item.lines, 3), 3, () => 0);
    }
    for (const p of points) p.applyMatrix4(this.object.matrix);
    return points;
  }

  /** Where it ever is: the box of a few moments of its motion. */
  sweptBox(out = new Box3()): Box3 {
    const motion = this.item.motion;
    if (!motion?.poses) return this.box(out);
    out.makeEmpty();
    const step = Math.max(1, Math.floor(motion.poses.length / 24));
    for (let i = 0; i < motion.poses.length; i += step) {
      out.union(this.bounds.clone().applyMatrix4(poseAt(motion, motion.times[i] ?? 0).multiply(this.offsetMatrix())));
    }
    return out;
  }

  moveTo(time: number): void {
    const { motion } = this.item;
    if (motion?.poses) poseAt(motion, time, this.pose);
    else poseMatrix(this.item.pose, this.pose);
    if (motion && this.points && this.moving) {
      pointsAt(this.points, this.moving.length / 3, motion, time, this.moving);
      if (this.balls) this.placeBalls();
      if (this.lines) this.lines.setPositions(this.moving);
    }
    this.place();
  }

  /** Goes where another item is. */
  follow(owner: ItemView): void {
    this.pose.copy(owner.pose);
    this.offset.copy(owner.offset);
    this.place();
  }

  /** Moves it aside, in the world. */
  setOffset(offset: Vector3): void {
    this.offset.copy(offset);
    this.place();
  }

  /** The middle of it, without the offset. */
  middle(out = new Vector3()): Vector3 {
    return this.box().getCenter(out).sub(this.offset);
  }

  isShownAt(time: number): boolean {
    const span = this.item.shown;
    return !span || (time >= span[0] && time <= span[1]);
  }

  setFaded(faded: boolean): void {
    this.faded = faded;
    this.restyle();
  }

  setSelected(selected: boolean): void {
    this.selected = selected;
    this.restyle();
  }

  setTheme(dark: boolean): void {
    if (this.outline) {
      this.outline.color.set(dark ? '#05070a' : '#1b232c');
    }
    this.restyle();
  }

  setResolution(width: number, height: number): void {
    this.lineMaterial?.resolution.set(width, height);
  }

  /** Puts the vertices elsewhere, from the middle of the geometry as at first: for live views. */
  setPositions(positions: Float32Array): void {
    const mesh = this.liveMesh();
    if (!mesh || positions.length !== 3 * mesh.geometry.getAttribute('position').count) return;
    const attribute = mesh.geometry.getAttribute('position') as BufferAttribute;
    (attribute.array as Float32Array).set(positions);
    attribute.needsUpdate = true;
    mesh.geometry.computeVertexNormals();
    mesh.geometry.computeBoundingBox();
    mesh.geometry.computeBoundingSphere();
    if (mesh.geometry.boundingBox) this.bounds.copy(mesh.geometry.boundingBox);
  }

  /** Colours the vertices by bytes: 0 to 254 along the legend, 255 beyond. */
  setShades(shades: Uint8Array): void {
    const legend = this.loaded.document.legends[this.item.legend ?? -1];
    const mesh = this.object.children[0];
    if (!legend || !(mesh instanceof Mesh)) return;
    const attribute = (mesh.geometry as BufferGeometry).getAttribute('color') as BufferAttribute | undefined;
    if (!attribute || shades.length !== attribute.count) return;
    this.shadeTable ??= shadeTable(legend);
    const bytes = attribute.array as Uint8Array;
    for (let i = 0; i < shades.length; ++i) {
      const at = 3 * (shades[i] ?? 255);
      bytes[4 * i] = this.shadeTable[at] ?? 0;
      bytes[4 * i + 1] = this.shadeTable[at + 1] ?? 0;
      bytes[4 * i + 2] = this.shadeTable[at + 2] ?? 0;
    }
    attribute.needsUpdate = true;
  }

  /** Leaves out what has a value below. Values come best first. */
  filter(least: number): number {
    if (!this.values) return 0;
    let kept = 0;
    while (kept < this.values.length && (this.values[kept] ?? 0) >= least) ++kept;
    // Each thing of a line item may be several lines with the same value.
    if (this.lines) this.lines.instanceCount = kept;
    if (this.balls) this.balls.count = kept;
    return kept;
  }

  dispose(): void {
    this.surface?.dispose();
    this.outline?.dispose();
    this.lineMaterial?.dispose();
    this.lines?.dispose();
    this.balls?.geometry.dispose();
    this.balls?.dispose();
    this.object.traverse((child) => {
      if (!(child instanceof Mesh)) return;
      if (child.userData.ownGeometry) (child.geometry as BufferGeometry).dispose();
      if (child.userData.depthOnly) (child.material as MeshBasicMaterial).dispose();
    });
  }

  /** The mesh with arrays of its own, which may be written to. */
  private liveMesh(): Mesh<BufferGeometry> | null {
    const mesh = this.object.children[0] as Mesh<BufferGeometry> | undefined;
    if (!mesh || this.item.shape !== 'mesh') return null;
    if (!this.isLive) {
      this.isLive = true;
      const own = mesh.geometry.clone();
      // Bytes are too coarse to add up in.
      own.deleteAttribute('normal');
      mesh.geometry = own;
      mesh.userData.ownGeometry = true;
      for (const child of this.object.children) if (child instanceof Mesh && child.userData.depthOnly) child.geometry = own;
    }
    return mesh;
  }

  private offsetMatrix(): Matrix4 {
    return new Matrix4().makeTranslation(this.center);
  }

  private place(): void {
    this.object.matrix.makeTranslation(this.offset).multiply(this.pose).multiply(this.offsetMatrix());
    this.object.matrixWorldNeedsUpdate = true;
  }

  private restyle(): void {
    const opacity = this.faded ? Math.min(fadedOpacity, this.item.opacity) : this.item.opacity;
    const clear = opacity < 1;
    if (this.surface) {
      this.surface.opacity = opacity;
      // Toggling `transparent` changes the program: say so only when it does.
      if (this.surface.transparent !== clear) {
        this.surface.transparent = clear;
        this.surface.depthWrite = !clear;
        this.surface.needsUpdate = true;
      }
      this.surface.emissive.set(this.selected ? '#1d5fbf' : '#000000');
      this.surface.emissiveIntensity = this.selected ? 0.55 : 0;
    }
    if (this.outline) this.outline.opacity = this.faded ? 0.06 : 0.55 * Math.min(1, 0.25 + opacity);
    if (this.lineMaterial) {
      this.lineMaterial.opacity = this.faded ? 0.1 : this.item.opacity;
      this.lineMaterial.transparent = true;
    }
  }

  private makeSurface(vertexColours: boolean): MeshStandardMaterial {
    const material = new MeshStandardMaterial({
      color: vertexColours ? '#ffffff' : this.item.colour,
      vertexColors: vertexColours,
      roughness: 0.62,
      metalness: 0.08,
      side: DoubleSide,
      opacity: this.item.opacity,
      transparent: this.item.opacity < 1,
      depthWrite: this.item.opacity >= 1,
      // Behind the edges drawn on it.
      polygonOffset: true,
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 1,
    });
    darkenCuts(material);
    this.surface = material;
    return material;
  }

  /** Red, green, blue and 255 for each of `count` vertices or things; null where all have one colour. */
  private colourBytes(count: number): Uint8Array | null {
    const { item, loaded } = this;
    if (this.values && item.legend !== undefined) {
      const legend = loaded.document.legends[item.legend];
      if (!legend) return null;
      const put = colourTable(legend);
      const bytes = new Uint8Array(4 * count).fill(255);
      for (let i = 0; i < count; ++i) put(this.values[i] ?? NaN, bytes, 4 * i);
      return bytes;
    }
    if (item.colours) {
      const source = new Uint8Array(loaded.buffer, item.colours.offset, 4 * item.colours.count);
      const linear = new Uint8Array(256);
      const colour = new Color();
      for (let i = 0; i < 256; ++i) linear[i] = Math.round(255 * colour.setRGB(i / 255, 0, 0, 'srgb').r);
      const bytes = new Uint8Array(4 * count).fill(255);
      for (let i = 0; i < 4 * count; ++i) if (i % 4 !== 3) bytes[i] = linear[source[i] ?? 0] ?? 0;
      return bytes;
    }
    return null;
  }

  private makeMesh(): number {
    const index = this.item.geometry ?? 0;
    const description = this.geometries.describe(index);
    this.center.set(...description.center);
    let geometry = this.geometries.surface(index);
    const colours = this.colourBytes(description.positions.count);
    const mesh = new Mesh(geometry, this.makeSurface(colours !== null));
    if (colours) {
      // The same arrays with colours of their own.
      const coloured = new BufferGeometry();
      coloured.setAttribute('position', geometry.getAttribute('position'));
      coloured.setAttribute('normal', geometry.getAttribute('normal'));
      coloured.setAttribute('color', new BufferAttribute(colours, 4, true));
      coloured.setIndex(geometry.getIndex());
      coloured.boundingBox = geometry.boundingBox;
      coloured.boundingSphere = geometry.boundingSphere;
      geometry = coloured;
      mesh.geometry = coloured;
      mesh.userData.ownGeometry = true;
    }
    if (geometry.boundingBox) this.bounds.copy(geometry.boundingBox);
    this.object.add(mesh);
    if (colours && this.item.opacity < 1) this.object.add(nearestOnly(mesh));
    const outline = this.item.outlined === false ? null : this.geometries.outline(index);
    if (outline) {
      this.outline = new LineBasicMaterial({ transparent: true, opacity: 0.55, depthWrite: false });
      this.object.add(new LineSegments(outline, this.outline));
    }
    return description.triangles;
  }

  private makeSpheres(): number {
    const ref = this.item.spheres;
    if (!ref) return 0;
    const numbers = floats(this.loaded, ref, 4);
    this.count = ref.count;
    // Fewer triangles for many: 980, 320 or 180 each.
    const detail = this.count <= 300 ? 6 : this.count <= 3000 ? 3 : 2;
    const geometry = new IcosahedronGeometry(1, detail);
    const balls = new InstancedMesh(geometry, this.makeSurface(false), this.count);
    balls.frustumCulled = false;
    this.balls = balls;
    this.moving = new Float32Array(3 * this.count);
    this.radii = new Float32Array(this.count);
    for (let i = 0; i < this.count; ++i) {
      const radius = numbers[4 * i + 3] ?? 0;
      this.radii[i] = radius;
      for (let k = 0; k < 3; ++k) {
        const x = numbers[4 * i + k] ?? 0;
        this.moving[3 * i + k] = x;
      }
      const center = new Vector3().fromArray(numbers, 4 * i);
      this.bounds.union(new Box3(center.clone().subScalar(radius), center.addScalar(radius)));
    }
    this.placeBalls();
    const colours = this.colourBytes(this.count);
    if (colours && this.surface) {
      this.surface.color.set('#ffffff');
      const colour = new Color();
      for (let i = 0; i < this.count; ++i) {
        colour.setRGB((colours[4 * i] ?? 0) / 255, (colours[4 * i + 1] ?? 0) / 255, (colours[4 * i + 2] ?? 0) / 255);
        balls.setColorAt(i, colour);
      }
    }
    this.object.add(balls);
    return 0;
  }

  private placeBalls(): void {
    if (!this.balls || !this.moving || !this.radii) return;
    const matrices = this.balls.instanceMatrix.array as Float32Array;
    for (let i = 0; i < this.count; ++i) {
      const radius = this.radii[i] ?? 0;
      matrices[16 * i] = radius;
      matrices[16 * i + 5] = radius;
      matrices[16 * i + 10] = radius;
      matrices[16 * i + 12] = this.moving[3 * i] ?? 0;
      matrices[16 * i + 13] = this.moving[3 * i + 1] ?? 0;
      matrices[16 * i + 14] = this.moving[3 * i + 2] ?? 0;
      matrices[16 * i + 15] = 1;
    }
    this.balls.instanceMatrix.needsUpdate = true;
    this.balls.boundingSphere = null;
  }

  private makeLines(): number {
    const ref = this.item.lines;
    if (!ref || ref.count === 0) return 0;
    const positions = floats(this.loaded, ref, 3);
    this.lines = new LineSegmentsGeometry();
    this.lines.setPositions(positions);
    if (this.points) this.moving = new Float32Array(positions.length);
    const count = ref.count / 2;
    const colours = this.colourBytes(count);
    this.lineMaterial = new LineMaterial({
      color: colours ? '#ffffff' : this.item.colour,
      linewidth: this.item.width ?? 2,
      vertexColors: colours !== null,
      transparent: true,
      opacity: this.item.opacity,
    });
    // Before the surfaces they touch, by a hair.
    this.lineMaterial.polygonOffset = true;
    this.lineMaterial.polygonOffsetFactor = -2;
    this.lineMaterial.polygonOffsetUnits = -2;
    if (colours) {
      const ends = new Float32Array(6 * count);
      for (let i = 0; i < count; ++i)
        for (let k = 0; k < 3; ++k) ends[6 * i + k] = ends[6 * i + 3 + k] = (colours[4 * i + k] ?? 0) / 255;
      this.lines.setColors(ends);
    }
    const object = new LineSegments2(this.lines, this.lineMaterial);
    // What is drawn thick is what the view is about: it shines through surfaces.
    if ((this.item.width ?? 0) >= thickLine) {
      this.lineMaterial.depthTest = false;
      object.renderOrder = 5;
    }
    object.frustumCulled = false;
    this.bounds.setFromArray(positions);
    this.object.add(object);
    return 0;
  }
}
