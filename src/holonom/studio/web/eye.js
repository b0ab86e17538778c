// A camera of the picture: perspective or parallel, with the controls that turn, pan and zoom it on a canvas.
import * as T from "./vendor/three.module.min.js";
import { OrbitControls } from "./vendor/OrbitControls.js";

export const VIEWS = { Front: [0, -1, 0.0001], Right: [1, 0, 0.0001], Top: [0, -0.0001, 1], Iso: [-1, -1.3, 0.9] };

export class Eye {
  constructor(canvas, moved) { // ``moved``: called after each change of the camera
    Object.assign(this, { canvas, moved, aspect: 1 });
    this.perspective = new T.PerspectiveCamera(38, 1, 0.01, 1000); this.ortho = new T.OrthographicCamera(-1, 1, 1, -1, -1000, 1000); this.camera = this.perspective; this.makeControls();
  }
  makeControls() {
    this.controls?.dispose(); const target = this.controls?.target.clone() || new T.Vector3();
    this.controls = new OrbitControls(this.camera, this.canvas); this.controls.target.copy(target); this.controls.zoomToCursor = true; this.controls.listenToKeyEvents(this.canvas); this.controls.keyPanSpeed = 18;
    this.controls.addEventListener("change", () => this.moved());
  }
  zoom(f) { if (this.camera === this.ortho) { this.ortho.zoom /= f; this.ortho.updateProjectionMatrix(); } else this.camera.position.sub(this.controls.target).multiplyScalar(f).add(this.controls.target); this.controls.update(); this.moved(); }
  resize(aspect) {
    this.aspect = this.perspective.aspect = aspect; this.perspective.updateProjectionMatrix();
    const h = this.ortho.top; Object.assign(this.ortho, { left: -h * aspect, right: h * aspect }); this.ortho.updateProjectionMatrix();
  }
  look(name, up, size) { // one of VIEWS, of a machine of this size with this upward axis
    const d = new T.Vector3(...VIEWS[name]).normalize(), turn = new T.Quaternion().setFromUnitVectors(new T.Vector3(0, 0, 1), up); d.applyQuaternion(turn);
    const far = this.camera.position.distanceTo(this.controls.target) || 3 * size; for (const c of [this.perspective, this.ortho]) c.up.copy(up);
    this.camera.position.copy(this.controls.target).addScaledVector(d, far); const z = this.camera.zoom; this.makeControls(); this.camera.zoom = z; this.controls.update(); this.moved();
  }
  projection(perspective) { // whether it has changed
    const from = this.camera, to = perspective ? this.perspective : this.ortho; if (from === to) return false;
    const far = from.position.distanceTo(this.controls.target); to.position.copy(from.position); to.up.copy(from.up);
    if (to === this.ortho) { const h = far * Math.tan((this.perspective.fov * Math.PI) / 360); Object.assign(to, { top: h, bottom: -h, left: -h * this.aspect, right: h * this.aspect, zoom: 1 }); }
    this.camera = to; to.updateProjectionMatrix(); this.makeControls(); this.controls.update(); this.moved(); return true;
  }
  frame(c, r) { // a ball of radius r about the point c fills the picture
    const d = this.camera.position.clone().sub(this.controls.target).normalize(), wide = Math.min(1, this.aspect), far = (r / Math.sin((this.perspective.fov * Math.PI) / 360) / wide) * 0.92, h = (1.05 * r) / wide;
    this.controls.target.copy(c); this.camera.position.copy(c).addScaledVector(d, far); this.perspective.near = far / 500; this.perspective.far = far * 60; this.perspective.updateProjectionMatrix();
    Object.assign(this.ortho, { top: h, bottom: -h, left: -h * this.aspect, right: h * this.aspect, zoom: 1, near: -60 * far, far: 60 * far }); this.ortho.updateProjectionMatrix(); this.controls.update(); this.moved();
  }
  shift(by) { this.camera.position.add(by); this.controls.target.add(by); this.controls.update(); }
  height() { // of the picture at the point that the camera turns about, length
    return this.camera === this.ortho ? (this.ortho.top - this.ortho.bottom) / this.ortho.zoom : 2 * Math.tan((this.perspective.fov * Math.PI) / 360) * this.camera.position.distanceTo(this.controls.target);
  }
  holds(x, y) { const r = this.canvas.getBoundingClientRect(); return x >= r.left && x < r.right && y >= r.top && y < r.bottom; }
  ray(x, y) { const r = this.canvas.getBoundingClientRect(), ray = new T.Raycaster(); ray.setFromCamera(new T.Vector2(((x - r.left) / r.width) * 2 - 1, 1 - ((y - r.top) / r.height) * 2), this.camera); return ray; }
  pixel(p) { const r = this.canvas.getBoundingClientRect(), q = p.clone().project(this.camera); return q.z > 1 ? null : [r.left + ((q.x + 1) / 2) * r.width, r.top + ((1 - q.y) / 2) * r.height]; }
  away() { return this.camera.position.clone().sub(this.controls.target).normalize(); } // from the machine to the eye
}
