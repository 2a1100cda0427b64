// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The three-dimensional view: camera, light, the items, what is measured and looked at. Draws only
// when something changed.
import {
  AmbientLight,
  Box3,
  DirectionalLight,
  HemisphereLight,
  MathUtils,
  PerspectiveCamera,
  Plane,
  Raycaster,
  Scene,
  SRGBColorSpace,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import { LineSegments2 } from 'three/examples/jsm/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/examples/jsm/lines/LineSegmentsGeometry.js';
import type { Focus, Loaded, Vector } from './document';
import { cornersOf, Geometries, ItemView } from './items';

const flightMilliseconds = 550;
const clickPixels = 4;

export interface Hit {
  item: number;
  point: Vector3;
}

/** A line with a label, drawn over everything. */
export interface Label {
  a: Vector3;
  b: Vector3;
  text: string;
  kind: 'focus' | 'measure';
}

export class Stage {
  readonly items: ItemView[];
  readonly camera = new PerspectiveCamera(32, 1, 0.01, 100);
  readonly controls: OrbitControls;
  /** Called after each picture: labels and axes follow. */
  onDrawn: () => void = () => undefined;
  onClick: (hit: Hit | null) => void = () => undefined;
  frames = 0;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly geometries: Geometries;
  private readonly lights: { sky: HemisphereLight; fill: AmbientLight; key: DirectionalLight };
  private readonly labelLines: { line: LineSegments2; material: LineMaterial; geometry: LineSegmentsGeometry }[] = [];
  /** Around everything that is ever there; made when it is needed. */
  private sceneBox: Box3 | null = null;
  private readonly resizer: ResizeObserver;
  private readonly drawnSize = new Vector2();
  private labels: Label[] = [];
  private dirty = true;
  private flight: { from: Vector3; to: Vector3; targetFrom: Vector3; targetTo: Vector3; start: number } | null = null;
  private explosion = 0;
  private level: number | null;
  private time: number;
  private focus: Focus | null = null;
  private request = 0;
  /** Around what the camera shows: legends and buttons lie over the edges. */
  private readonly margin: number;

  constructor(
    private readonly loaded: Loaded,
    private readonly host: HTMLElement,
    dark: boolean,
  ) {
    const { document: data } = loaded;
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: false });
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    host.append(this.renderer.domElement);
    this.geometries = new Geometries(loaded);
    this.items = data.items.map((item, index) => new ItemView(item, index, loaded, this.geometries));
    for (const item of this.items) this.scene.add(item.object);
    this.margin = data.legends.length > 0 ? 1.3 : 1.14;
    this.level = data.levels.length > 0 ? data.firstLevel : null;
    this.time = data.timeline?.start ?? 0;

    this.lights = {
      sky: new HemisphereLight('#ffffff', '#8a93a0', 1.35),
      fill: new AmbientLight('#ffffff', 0.35),
      key: new DirectionalLight('#ffffff', 1.9),
    };
    this.lights.sky.position.set(0, 0, 1);
    // The lamp is at the viewer's left shoulder and comes along.
    this.lights.key.position.set(-0.45, 0.7, 1);
    this.camera.add(this.lights.key, this.lights.key.target);
    this.lights.key.target.position.set(0, 0, -1);
    this.scene.add(this.lights.sky, this.lights.fill, this.camera);
    this.camera.up.set(0, 0, 1);

    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.zoomToCursor = true;
    this.controls.rotateSpeed = 0.9;
    this.controls.addEventListener('change', () => this.invalidate());
    this.controls.addEventListener('start', () => (this.flight = null));

    this.setTheme(dark);
    this.setTime(this.time);
    this.resizer = new ResizeObserver(() => this.resize());
    this.resizer.observe(host);
    this.resize();
    this.listenToClicks();
    this.home(false);
    this.request = requestAnimationFrame((now) => this.tick(now));
  }

  dispose(): void {
    cancelAnimationFrame(this.request);
    this.resizer.disconnect();
    this.controls.dispose();
    for (const item of this.items) item.dispose();
    this.geometries.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    this.renderer.domElement.remove();
  }

  invalidate(): void {
    this.dirty = true;
  }

  /** Shapes have changed. */
  reshaped(): void {
    this.sceneBox = null;
    this.invalidate();
  }

  setTheme(dark: boolean): void {
    for (const item of this.items) item.setTheme(dark);
    this.lights.sky.groundColor.set(dark ? '#5a6473' : '#8a93a0');
    this.lights.sky.intensity = dark ? 1.15 : 1.4;
    this.invalidate();
  }

  // ---- what is shown ----

  setTime(time: number): void {
    this.time = time;
    for (const item of this.items) if (item.item.motion) item.moveTo(time);
    this.followOwners();
    this.refresh();
  }

  setLevel(level: number): void {
    this.level = level;
    this.sceneBox = null;
    this.refresh();
  }

  /** How far the parts are moved apart: 0 not at all, 1 by their distance from the middle. */
  setExplosion(factor: number): void {
    this.explosion = factor;
    const middle = this.contents(false).getCenter(new Vector3());
    for (const view of this.items) {
      if (view.item.motion || !view.item.explodes || view.item.owner !== undefined) continue;
      view.setOffset(view.middle().sub(middle).multiplyScalar(factor));
    }
    this.followOwners();
    this.sceneBox = null;
    this.refresh();
  }

  /** Cuts away what is on the far side of a plane across the scene: axis 0 to 2, place 0 to 1. */
  setSection(section: { axis: number; place: number; flipped: boolean } | null): void {
    if (!section) {
      this.renderer.clippingPlanes = [];
    } else {
      const box = this.contents(true);
      const { axis, place, flipped } = section;
      const at = MathUtils.lerp(box.min.getComponent(axis), box.max.getComponent(axis), place);
      const normal = new Vector3().setComponent(axis, flipped ? 1 : -1);
      this.renderer.clippingPlanes = [new Plane(normal, flipped ? -at : at)];
    }
    this.invalidate();
  }

  setWanted(index: number, wanted: boolean): void {
    const item = this.items[index];
    if (item) item.wanted = wanted;
    this.refresh();
  }

  select(index: number | null): void {
    for (const item of this.items) item.setSelected(item.index === index);
    this.invalidate();
  }

  setFocus(focus: Focus | null): void {
    this.focus = focus;
    const kept = new Set([...(focus?.items ?? []), ...(focus?.show ?? [])]);
    for (const item of this.items) {
      item.setFaded(focus !== null && focus.items.length > 0 && !kept.has(item.item.owner ?? item.index));
    }
    this.refresh();
    if (focus) this.flyTo(new Vector3(...focus.point), Math.max(focus.radius, 1e-9));
  }

  setLabels(labels: Label[]): void {
    this.labels = labels;
    while (this.labelLines.length < labels.length) {
      const geometry = new LineSegmentsGeometry();
      const material = new LineMaterial({ linewidth: 3, depthTest: false, transparent: true });
      const line = new LineSegments2(geometry, material);
      line.renderOrder = 10;
      line.frustumCulled = false;
      this.scene.add(line);
      this.labelLines.push({ line, material, geometry });
    }
    this.labelLines.forEach((entry, i) => {
      const label = labels[i];
      entry.line.visible = label !== undefined;
      if (!label) return;
      entry.geometry.setPositions([...label.a.toArray(), ...label.b.toArray()]);
      entry.material.color.set(label.kind === 'measure' ? '#2f7de1' : '#e0362c');
      entry.material.resolution.copy(this.size());
    });
    this.invalidate();
  }

  currentLabels(): readonly Label[] {
    return this.labels;
  }

  // ---- the camera ----

  /** The whole, from the document's side. */
  home(animated = true): void {
    const region = this.loaded.document.region;
    const box = region && this.explosion === 0 ? new Box3(new Vector3(...region[0]), new Vector3(...region[1])) : null;
    this.frame(box ? cornersOf(box) : this.visiblePoints(), new Vector3(...this.loaded.document.towardsEye), animated);
  }

  /** Everything visible, from where the camera looks now. */
  fit(): void {
    this.frame(this.visiblePoints(), this.camera.position.clone().sub(this.controls.target), true);
  }

  look(direction: Vector): void {
    this.frame(this.visiblePoints(), new Vector3(...direction), true);
  }

  flyToItem(index: number): void {
    const item = this.items[index];
    if (item) this.frame(item.samples(), this.camera.position.clone().sub(this.controls.target), true);
  }

  flyTo(point: Vector3, radius: number): void {
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    const distance = (1.25 * radius) / Math.sin(MathUtils.degToRad(this.camera.fov / 2));
    this.go(point, point.clone().addScaledVector(direction, distance), true);
  }

  /** Where a point is on the screen, in pixels of the host; null behind the eye. */
  project(point: Vector3): { x: number; y: number } | null {
    const p = point.clone().project(this.camera);
    if (p.z > 1) return null;
    return { x: ((p.x + 1) / 2) * this.host.clientWidth, y: ((1 - p.y) / 2) * this.host.clientHeight };
  }

  /** The axes of the world as the camera sees them: right, up and towards the eye. */
  axes(): Vector[] {
    const inverse = this.camera.matrixWorldInverse;
    return [0, 1, 2].map((k) => {
      const v = new Vector3().setComponent(k, 1).transformDirection(inverse);
      return [v.x, v.y, v.z];
    });
  }

  /** The canvas with the picture in it, just drawn. */
  snapshot(): HTMLCanvasElement {
    this.draw();
    return this.renderer.domElement;
  }

  contents(visibleOnly: boolean): Box3 {
    const box = new Box3();
    const part = new Box3();
    for (const item of this.items) {
      if (visibleOnly && !item.object.visible && !(item.item.shown && item.wanted)) continue;
      if (item.item.level !== undefined && item.item.level !== this.level) continue;
      item.sweptBox(part);
      if (!part.isEmpty()) box.union(part);
    }
    if (box.isEmpty() && visibleOnly) return this.contents(false);
    if (box.isEmpty()) box.set(new Vector3(-0.5, -0.5, -0.5), new Vector3(0.5, 0.5, 0.5));
    return box;
  }

  // ---- inside ----

  private followOwners(): void {
    for (const view of this.items) {
      const owner = this.items[view.item.owner ?? -1];
      if (owner) view.follow(owner);
    }
  }

  private refresh(): void {
    const shownByFocus = new Set(this.focus?.show ?? []);
    for (const view of this.items) {
      const owner = this.items[view.item.owner ?? -1];
      view.object.visible =
        (view.wanted || shownByFocus.has(view.index)) &&
        (!owner || owner.wanted) &&
        view.isShownAt(this.time) &&
        (view.item.level === undefined || view.item.level === this.level);
    }
    this.invalidate();
  }

  /** Points of what is seen; the corners of everything when nothing is. */
  private visiblePoints(): Vector3[] {
    const points = this.items.filter((view) => view.object.visible || (view.item.shown && view.wanted)).flatMap((view) => view.samples());
    return points.length > 0 ? points : cornersOf(this.contents(false));
  }

  /** Puts the camera where the points fill the picture. */
  private frame(points: readonly Vector3[], towardsEye: Vector3, animated: boolean): void {
    const eye = towardsEye.lengthSq() > 0 ? towardsEye.clone().normalize() : new Vector3(1, -1.4, 0.9).normalize();
    // Straight from above there is no "up": a hair aside there is.
    if (Math.abs(eye.z) > 0.9999) eye.set(1e-4 * Math.sign(eye.z), -1e-3, eye.z).normalize();
    const right = new Vector3().crossVectors(new Vector3(0, 0, 1), eye).normalize();
    const up = new Vector3().crossVectors(eye, right);
    const tanV = Math.tan(MathUtils.degToRad(this.camera.fov / 2));
    const tanH = tanV * this.camera.aspect;
    const center = new Box3().setFromPoints([...points]).getCenter(new Vector3());
    let distance = 0;
    // The middle of what is seen changes with the distance, and the distance with it: thrice is enough.
    for (let round = 0; round < 3; ++round) {
      distance = 0;
      for (const p of points) {
        const d = p.clone().sub(center);
        const depth = d.dot(eye);
        distance = Math.max(distance, depth + Math.abs(d.dot(right)) / tanH, depth + Math.abs(d.dot(up)) / tanV);
      }
      const low = new Vector2(Infinity, Infinity);
      const high = new Vector2(-Infinity, -Infinity);
      for (const p of points) {
        const d = p.clone().sub(center);
        const away = Math.max(1e-9, distance - d.dot(eye));
        const seen = new Vector2(d.dot(right) / away, d.dot(up) / away);
        low.min(seen);
        high.max(seen);
      }
      const shift = low.add(high).multiplyScalar(0.5 * distance);
      if (Number.isFinite(shift.x) && Number.isFinite(shift.y)) center.addScaledVector(right, shift.x).addScaledVector(up, shift.y);
    }
    this.go(center, center.clone().addScaledVector(eye, this.margin * distance || 1), animated);
  }

  private go(target: Vector3, position: Vector3, animated: boolean): void {
    const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (animated && !still) {
      this.flight = {
        from: this.camera.position.clone(),
        to: position,
        targetFrom: this.controls.target.clone(),
        targetTo: target,
        start: performance.now(),
      };
    } else {
      this.flight = null;
      this.camera.position.copy(position);
      this.controls.target.copy(target);
      this.controls.update();
    }
    this.invalidate();
  }

  private fly(now: number): void {
    if (!this.flight) return;
    const t = Math.min(1, (now - this.flight.start) / flightMilliseconds);
    const eased = t < 0.5 ? 4 * t * t * t : 1 - (-2 * t + 2) ** 3 / 2;
    // Turn about the target rather than cut through the scene.
    const from = this.flight.from.clone().sub(this.flight.targetFrom);
    const to = this.flight.to.clone().sub(this.flight.targetTo);
    const length = MathUtils.lerp(from.length(), to.length(), eased);
    const direction = from.normalize().lerp(to.normalize(), eased);
    if (direction.lengthSq() < 1e-6) direction.set(0, -1, 0.5);
    this.controls.target.lerpVectors(this.flight.targetFrom, this.flight.targetTo, eased);
    this.camera.position.copy(this.controls.target).addScaledVector(direction.normalize(), length);
    if (t >= 1) this.flight = null;
    this.controls.update();
    this.invalidate();
  }

  private tick(now: number): void {
    this.fly(now);
    if (this.dirty) this.draw();
    this.request = requestAnimationFrame((next) => this.tick(next));
  }

  private draw(): void {
    this.dirty = false;
    this.sceneBox ??= this.contents(false);
    const radius = 0.5 * this.sceneBox.getSize(new Vector3()).length() * (1 + this.explosion) || 1;
    const distance = this.camera.position.distanceTo(this.sceneBox.getCenter(new Vector3()));
    this.camera.far = distance + 2 * radius;
    this.camera.near = Math.max(distance - 1.5 * radius, this.camera.far * 2e-4);
    // Zoomed in close, what is near must not be cut off.
    this.camera.near = Math.min(this.camera.near, 0.2 * this.camera.position.distanceTo(this.controls.target));
    this.camera.updateProjectionMatrix();
    this.renderer.render(this.scene, this.camera);
    ++this.frames;
    this.onDrawn();
  }

  private size(): Vector2 {
    return new Vector2(Math.max(1, this.host.clientWidth), Math.max(1, this.host.clientHeight));
  }

  /** Takes the size of its place on the page. */
  resize(): void {
    const size = this.size();
    // Told of a size that it has, as at first: drawing all of it again would hold up the first picture.
    if (size.equals(this.drawnSize)) return;
    this.drawnSize.copy(size);
    this.renderer.setSize(size.x, size.y, false);
    this.camera.aspect = size.x / size.y;
    for (const item of this.items) item.setResolution(size.x, size.y);
    for (const { material } of this.labelLines) material.resolution.copy(size);
    this.invalidate();
  }

  /** The nearest surface under the pointer that is not cut away. */
  private hitAt(event: PointerEvent): Hit | null {
    const bounds = this.renderer.domElement.getBoundingClientRect();
    const pointer = new Vector2(
      ((event.clientX - bounds.left) / bounds.width) * 2 - 1,
      1 - ((event.clientY - bounds.top) / bounds.height) * 2,
    );
    // The next picture may not have been drawn yet: everything is where it is now, not where it was seen.
    this.scene.updateMatrixWorld();
    const ray = new Raycaster();
    ray.setFromCamera(pointer, this.camera);
    const objects = this.items
      .filter((view) => view.object.visible && view.item.shape !== 'lines')
      .map((view) => view.object.children[0])
      .filter((object) => object !== undefined);
    const planes = this.renderer.clippingPlanes;
    for (const hit of ray.intersectObjects(objects, false)) {
      if (planes.every((plane) => plane.distanceToPoint(hit.point) >= 0))
        return { item: Number(hit.object.userData.itemIndex), point: hit.point };
    }
    return null;
  }

  private listenToClicks(): void {
    const canvas = this.renderer.domElement;
    let down: { x: number; y: number } | null = null;
    canvas.addEventListener('pointerdown', (event) => {
      down = event.button === 0 ? { x: event.clientX, y: event.clientY } : null;
    });
    canvas.addEventListener('pointerup', (event) => {
      if (!down || Math.hypot(event.clientX - down.x, event.clientY - down.y) > clickPixels) return;
      down = null;
      this.onClick(this.hitAt(event));
    });
    canvas.addEventListener('dblclick', (event) => {
      const hit = this.hitAt(event as unknown as PointerEvent);
      if (hit) this.go(hit.point, this.camera.position.clone().sub(this.controls.target).multiplyScalar(0.5).add(hit.point), true);
    });
  }
}
