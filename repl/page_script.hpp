// repl/page_script.hpp: the script of the page that `:animate` writes (page.cpp has what it reads: the elements and the data).
//   Opened as FILE.html#t=1.5 the page stands still at that time.
#pragma once

namespace kron::repl {

inline constexpr const char* page_script = R"js(
'use strict';
(function () {
  const data = JSON.parse(document.getElementById('data').textContent);
  const element = id => document.getElementById(id);
  const vector = a => new THREE.Vector3(a[0], a[1], a[2]);
  const time = data.time, begin = time[0], end = time[time.length - 1];
  element('title').textContent = document.title;

  // ---- where frames are -----------------------------------------------------------------------------------------------------------

  const position = (track, k) => new THREE.Vector3(...data.tracks[track].slice(7 * k, 7 * k + 3));
  const turn = (track, k) => new THREE.Quaternion(...data.tracks[track].slice(7 * k + 3, 7 * k + 7));

  // The point before t, and how far it is to the next one.
  function moment(t) {
    let low = 0, high = time.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (time[middle] <= t) low = middle; else high = middle - 1;
    }
    const next = Math.min(low + 1, time.length - 1), step = time[next] - time[low];
    return { low, next, part: step > 0 ? Math.min((t - time[low]) / step, 1) : 0 };
  }
  const positionAt = (track, m) => position(track, m.low).lerp(position(track, m.next), m.part);
  const turnAt = (track, m) => turn(track, m.low).slerp(turn(track, m.next), m.part);

  // ---- how large everything is ----------------------------------------------------------------------------------------------------

  const along = s => vector(s.measures.lengthDirection).normalize();
  function ends(s) {  // points of a shape, in its frame
    const start = vector(s.measures.r_shape), length = ['box', 'cylinder', 'rod'].includes(s.type) ? s.measures.length : 0;
    return [start, start.clone().addScaledVector(along(s), length)];
  }
  const thickness = s => ['ellipsoid', 'spring'].includes(s.type) ? 0 : Math.max(s.measures.width, s.measures.height);
  const everything = new THREE.Box3();
  let size = 0;  // of the mechanism, at the moment when it is largest
  const some = Math.max(1, Math.floor(time.length / 200));
  for (let k = 0; k < time.length; k += some) {
    const now = new THREE.Box3();
    for (const s of data.shapes) {
      const where = position(s.from, k), how = turn(s.from, k);
      const box = new THREE.Box3().setFromPoints(ends(s).map(p => p.applyQuaternion(how).add(where)));
      if (s.to !== null) box.expandByPoint(position(s.to, k));
      now.union(box.expandByScalar(thickness(s) / 2));
    }
    size = Math.max(size, now.getSize(new THREE.Vector3()).length());
    everything.union(now);
  }
  const whole = everything.getSize(new THREE.Vector3()).length();
  const unit = (size || whole / 2 || 1) / 45;  // thickness of what has none of its own
  everything.expandByScalar(3 * unit);

  // ---- bodies ---------------------------------------------------------------------------------------------------------------------

  const colours = [0x3f7fbf, 0xd98032, 0x4f9f5f, 0xb75f9a, 0xc8a93a, 0x5aa9c0, 0x8a6fbf, 0xb55a4a];
  const parts = [...new Set(data.shapes.map(s => s.name.split('.')[0]))];
  const solid = (colour, more) => new THREE.MeshStandardMaterial(Object.assign({ color: colour, roughness: 0.55, metalness: 0.1 }, more));
  const colourOf = s => colours[parts.indexOf(s.name.split('.')[0]) % colours.length];
  const x = new THREE.Vector3(1, 0, 0), y = new THREE.Vector3(0, 1, 0), z = new THREE.Vector3(0, 0, 1);

  // Axes of a shape in its frame: along, across (towards widthDirection), and across both.
  function axes(s) {
    const e = along(s);
    let n = new THREE.Vector3().crossVectors(e, vector(s.measures.widthDirection));
    if (n.length() < 1e-6) n = new THREE.Vector3().crossVectors(e, Math.abs(e.x) < 0.9 ? x : y);
    n.normalize();
    return new THREE.Matrix4().makeBasis(e, new THREE.Vector3().crossVectors(n, e), n);
  }

  function frame(length, width, height, innerWidth, innerHeight) {  // a hollow box, along x
    const corners = (a, b) => [[-a, -b], [a, -b], [a, b], [-a, b]].map(p => new THREE.Vector2(p[0] / 2, p[1] / 2));
    const ring = new THREE.Shape(corners(width, height));
    ring.holes.push(new THREE.Path(corners(innerWidth, innerHeight)));
    const g = new THREE.ExtrudeBufferGeometry(ring, { depth: length, bevelEnabled: false });
    return g.applyMatrix(new THREE.Matrix4().set(0, 0, 1, -length / 2, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1));
  }
  function box(length, width, height, innerWidth, innerHeight) {
    return innerWidth > 0 && innerHeight > 0 ? frame(length, width, height, innerWidth, innerHeight)
                                             : new THREE.BoxBufferGeometry(length, width, height);
  }
  function tube(length, diameter, inner) {  // along x
    const a = inner / 2, b = diameter / 2, l = length / 2;
    const g = inner > 0 ? new THREE.LatheBufferGeometry([[a, -l], [b, -l], [b, l], [a, l], [a, -l]].map(p => new THREE.Vector2(...p)), 48)
                        : new THREE.CylinderBufferGeometry(b, b, length, 48);
    return g.rotateZ(-Math.PI / 2);
  }
  const ball = diameter => new THREE.SphereBufferGeometry(diameter / 2, 32, 20);

  // Eigenvalues and vectors of a symmetric matrix by Jacobi's rotations; rows of V are the vectors.
  function principal(A) {
    const V = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    for (let sweep = 0; sweep < 30; ++sweep)
      for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
        if (Math.abs(A[p][q]) < 1e-14 * (Math.abs(A[p][p]) + Math.abs(A[q][q]))) continue;
        const angle = 0.5 * Math.atan2(2 * A[p][q], A[p][p] - A[q][q]), c = Math.cos(angle), s = Math.sin(angle);
        const mix = (u, v) => { const t = c * u[0] + s * v[0]; v[0] = c * v[0] - s * u[0]; u[0] = t; };
        const pair = (M, i, j, k, l) => { const u = [M[i][j]], v = [M[k][l]]; mix(u, v); M[i][j] = u[0]; M[k][l] = v[0]; };
        for (let k = 0; k < 3; ++k) pair(A, p, k, q, k);
        for (let k = 0; k < 3; ++k) pair(A, k, p, k, q);
        for (let k = 0; k < 3; ++k) pair(V, p, k, q, k);
      }
    return { values: [A[0][0], A[1][1], A[2][2]], vectors: V };
  }

  // The solid ellipsoid of uniform density that has the mass and the inertia; made smaller where it would be out of proportion.
  function ellipsoid(s) {
    const I = s.measures.I, m = s.measures.m;
    const { values, vectors } = principal([I.slice(0, 3), I.slice(3, 6), I.slice(6, 9)]);
    const sum = values[0] + values[1] + values[2];
    const half = values.map(v => m > 0 ? Math.sqrt(Math.max(2.5 * (sum - 2 * v) / m, 0)) : 0);
    const less = Math.min(1, 3.5 * unit / Math.max(...half));  // heavy gears on thin bars would hide the rest
    half.forEach((h, i) => { half[i] = Math.max(less * h, 0.7 * unit); });
    const mesh = new THREE.Mesh(ball(2), solid(colourOf(s)));
    const [a, b] = [vector(vectors[0]), vector(vectors[1])];
    const basis = new THREE.Matrix4().makeBasis(a, b, new THREE.Vector3().crossVectors(a, b));
    mesh.applyMatrix(basis.multiply(new THREE.Matrix4().makeScale(...half)));
    const group = new THREE.Group();
    group.add(mesh, new THREE.AxesHelper(1.4 * Math.max(...half)));
    return group;
  }

  // Of length 1 along x, to be stretched between two frames; the wire is round at `length`, in radii of the coil.
  function spiral(length) {
    const points = [], turns = 12, steps = 16 * turns;
    for (let i = 0; i <= steps; ++i) {
      const part = i / steps, angle = 2 * Math.PI * turns * part, r = part < 0.06 || part > 0.94 ? 0 : 1;
      points.push(new THREE.Vector3(length * part, r * Math.cos(angle), r * Math.sin(angle)));
    }
    return new THREE.TubeBufferGeometry(new THREE.CatmullRomCurve3(points), 4 * steps, Math.min(0.16, 0.3 * length / turns), 6).scale(1 / length, 1, 1);
  }
  const spans = s => position(s.from, 0).distanceTo(position(s.to, 0));

  // A round body with a stripe, to see it turn.
  function striped(s) {
    const group = new THREE.Group(), d = s.measures.width || unit, l = s.measures.length;
    const stripe = new THREE.Mesh(new THREE.BoxBufferGeometry(1.002 * l, 0.08 * d, 0.02 * d), solid(0x303030));
    stripe.position.z = 0.495 * d;
    group.add(new THREE.Mesh(tube(l, d, s.measures.innerWidth), solid(colourOf(s))), stripe);
    return group;
  }

  const dark = () => solid(0x50545c), thick = s => s.measures.width || unit;
  const fixed = {  // in the frame that carries them; along x, in the middle of their length
    box: s => new THREE.Mesh(box(s.measures.length, s.measures.width || unit, s.measures.height || unit, s.measures.innerWidth, s.measures.innerHeight), solid(colourOf(s))),
    cylinder: striped,
    sphere: s => new THREE.Mesh(ball(s.measures.width || 3 * unit), solid(colourOf(s))),
    rod: s => new THREE.Mesh(tube(s.measures.length || 1e-9, thick(s), 0), solid(colourOf(s))),
    ellipsoid,
    hinge: s => new THREE.Mesh(tube(s.measures.length || 3.4 * unit, s.measures.width || 1.7 * unit, 0), dark()),
    ball: s => new THREE.Mesh(ball(s.measures.width || 2.2 * unit), dark()),
  };
  const spanning = {  // from frame_a to frame_b, of length 1 along x from the origin
    slide: s => [box(1, 1, 1, 0, 0).translate(0.5, 0, 0), dark(), 1.5 * thick(s)],
    bar: s => [tube(1, 1, 0).translate(0.5, 0, 0), solid(colourOf(s)), thick(s)],
    line: s => [tube(1, 1, 0).translate(0.5, 0, 0), solid(0x777777), thick(s) / 3],
    spring: s => [spiral(Math.max(spans(s), unit) / (s.measures.width / 2 || unit)), solid(0x8a8f99), s.measures.width / 2 || unit],
  };

  const scene = new THREE.Scene(), moving = [];
  scene.background = new THREE.Color(0xeef1f5);
  for (const s of data.shapes) {
    let shown, place;
    if (fixed[s.type]) {
      shown = new THREE.Group();
      const inner = fixed[s.type](s), turned = new THREE.Group();
      if (s.type !== 'ellipsoid') turned.applyMatrix(axes(s));
      const length = ['box', 'cylinder', 'rod'].includes(s.type) ? s.measures.length : 0;
      turned.position.copy(vector(s.measures.r_shape)).addScaledVector(along(s), length / 2);
      turned.add(inner);
      shown.add(turned);
      place = m => { shown.position.copy(positionAt(s.from, m)); shown.quaternion.copy(turnAt(s.from, m)); };
    } else if (spanning[s.type] && s.to !== null) {
      const [geometry, material, width] = spanning[s.type](s);
      shown = new THREE.Mesh(geometry, material);
      place = m => {
        const a = positionAt(s.from, m), way = positionAt(s.to, m).sub(a), length = way.length();
        const direction = length > 1e-9 * unit ? way.divideScalar(length) : along(s).applyQuaternion(turnAt(s.from, m));
        shown.position.copy(a);
        shown.quaternion.setFromUnitVectors(x, direction);
        shown.scale.set(Math.max(length, s.type === 'slide' ? 1.5 * unit : 1e-6 * unit), width, width);
      };
    } else continue;
    shown.traverse(o => { o.userData.name = s.name; });
    scene.add(shown);
    moving.push(place);
  }

  // ---- light, ground, camera ------------------------------------------------------------------------------------------------------

  const up = vector(data.up).normalize(), centre = everything.getCenter(new THREE.Vector3());
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map(i => new THREE.Vector3(
    i & 1 ? everything.max.x : everything.min.x, i & 2 ? everything.max.y : everything.min.y, i & 4 ? everything.max.z : everything.min.z));
  const extent = e => Math.max(...corners.map(c => c.dot(e))) - Math.min(...corners.map(c => c.dot(e)));
  const radius = everything.getSize(new THREE.Vector3()).length() / 2;

  scene.add(new THREE.HemisphereLight(0xffffff, 0x8899aa, 0.85));
  const sun = new THREE.DirectionalLight(0xffffff, 0.55);
  scene.add(sun);
  scene.add(new THREE.AxesHelper(4 * unit));
  const step = Math.pow(10, Math.floor(Math.log10(radius / 2))), lines = 2 * Math.ceil(0.9 * radius / step);
  const ground = new THREE.GridHelper(lines * step, lines, 0xb0b6c0, 0xd4d9e0);
  ground.quaternion.setFromUnitVectors(y, up);
  ground.position.copy(centre).addScaledVector(up, Math.min(...corners.map(c => c.dot(up))) - centre.dot(up));
  scene.add(ground);

  const camera = new THREE.PerspectiveCamera(35, 1, radius / 100, radius * 100);
  camera.up.copy(up);
  let renderer;
  try {
    renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
  } catch (problem) {
    element('trouble').textContent = 'This browser does not draw in three dimensions (WebGL is off or missing).';
    return;
  }
  renderer.setPixelRatio(window.devicePixelRatio);
  element('view').appendChild(renderer.domElement);
  const orbit = new THREE.OrbitControls(camera, renderer.domElement);

  // From where most of the motion is seen: across the widest horizontal direction, a little turned and raised.
  function home() {
    const flat = new THREE.Vector3().crossVectors(up, Math.abs(up.x) < 0.9 ? x : z).normalize();
    let best = flat, widest = 0;
    for (let i = 0; i < 12; ++i) {
      const d = flat.clone().applyAxisAngle(up, i * Math.PI / 12), wide = extent(new THREE.Vector3().crossVectors(up, d).normalize());
      if (wide > 1.02 * widest) { widest = wide; best = d; }
    }
    const right = new THREE.Vector3().crossVectors(up, best);
    if (right.x < -0.01 || (right.x < 0.01 && right.y + right.z > 0)) best.negate();
    const low = extent(up) < 0.25 * widest;
    const side = new THREE.Vector3().crossVectors(up, best).normalize();
    const from = best.clone().applyAxisAngle(up, 0.4).applyAxisAngle(side.applyAxisAngle(up, 0.4), low ? -0.9 : -0.3);
    const fit = Math.min(1, camera.aspect);
    orbit.target.copy(centre);
    camera.position.copy(centre).addScaledVector(from, 0.75 * radius / Math.sin(camera.fov * Math.PI / 360) / fit);
    orbit.update();
  }

  function fitWindow() {
    const view = element('view');
    renderer.setSize(view.clientWidth, view.clientHeight);
    camera.aspect = view.clientWidth / Math.max(view.clientHeight, 1);
    camera.updateProjectionMatrix();
  }
  fitWindow();
  home();
  window.addEventListener('resize', fitWindow);

  // ---- time -----------------------------------------------------------------------------------------------------------------------

  const speeds = [0.001, 0.01, 0.1, 0.25, 0.5, 1, 2, 5, 10, 100, 1000, 10000], lasts = end - begin;
  // Real time, unless that takes less than two seconds or more than half a minute.
  const usual = speeds.filter(s => lasts / s >= 2).concat(speeds[0]).reduce((a, b) => Math.abs(Math.log(a * 6 / lasts)) < Math.abs(Math.log(b * 6 / lasts)) ? a : b);
  const speed = element('speed');
  for (const s of speeds) speed.add(new Option('× ' + s, s, false, s === (lasts >= 2 && lasts <= 30 ? 1 : usual)));
  const range = element('place');
  range.min = begin;
  range.max = end;
  const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(lasts || 1))));

  let now = begin, playing = lasts > 0, last = null;
  function show() {
    const m = moment(now);
    for (const place of moving) place(m);
    range.value = now;
    element('time').textContent = now.toFixed(digits) + ' s of ' + end.toFixed(digits) + ' s';
  }
  function play(on) {
    playing = on && lasts > 0;
    last = null;
    element('play').textContent = playing ? 'pause' : 'play';
  }
  element('play').onclick = () => play(!playing);
  range.oninput = () => { play(false); now = Number(range.value); show(); };
  element('reset').onclick = home;
  window.addEventListener('keydown', e => {
    if (e.target.tagName === 'SELECT') return;
    if (e.key === ' ') { e.preventDefault(); play(!playing); }
    if (e.key === 'r') home();
  });
  function fromAddress() {
    const asked = /[#&]t=([-+.\deE]+)/.exec(location.hash);
    if (asked && isFinite(asked[1])) { play(false); now = Math.min(Math.max(Number(asked[1]), begin), end); show(); }
  }
  window.addEventListener('hashchange', fromAddress);

  const ray = new THREE.Raycaster(), pointer = new THREE.Vector2();
  renderer.domElement.addEventListener('pointermove', e => {
    const r = renderer.domElement.getBoundingClientRect();
    pointer.set(2 * (e.clientX - r.left) / r.width - 1, 1 - 2 * (e.clientY - r.top) / r.height);
    ray.setFromCamera(pointer, camera);
    const hit = ray.intersectObjects(scene.children, true).find(h => h.object.userData.name);
    element('name').textContent = hit ? hit.object.userData.name : '';
  });

  function draw(milliseconds) {
    if (playing) {
      if (last !== null) now += (milliseconds - last) / 1000 * Number(speed.value);
      if (now > end) now = begin + (now - end) % lasts;
      last = milliseconds;
      show();
    }
    orbit.update();
    sun.position.copy(camera.position).addScaledVector(up, radius);
    renderer.render(scene, camera);
    requestAnimationFrame(draw);
  }
  play(true);
  show();
  fromAddress();
  requestAnimationFrame(draw);
})();
)js";

}  // namespace kron::repl
