// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The viewer in a real browser: every kind of result opens, moves and draws something, and nothing
// complains. Pictures are kept in the folder CLEARANCE_SCREENSHOTS, when it is set.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { lookAt, makeFolder, needBrowser, openBrowser, openPage, repository, run, runJson, serve, serveVerb, stopServers, waitUntilReady } from './support.mjs';

needBrowser();
const folder = makeFolder();
const screenshots = process.env.CLEARANCE_SCREENSHOTS;
let browser;

before(async () => {
  browser = await openBrowser();
});
after(async () => {
  stopServers();
  await browser.close();
});

/** The page in both themes, on a small and on a large screen. */
async function keepPictures(page, name) {
  for (const [size, viewport] of [['small', { width: 1280, height: 800 }], ['large', { width: 2560, height: 1440 }]]) {
    await page.setViewportSize(viewport);
    for (const theme of ['light', 'dark']) {
      await page.evaluate((wanted) => {
        if (document.documentElement.dataset.theme !== wanted) document.querySelector('[title^="Dark or light"]').click();
      }, theme);
      await page.waitForTimeout(600);
      await page.screenshot({ path: join(screenshots, `${name}_${size}_${theme}.png`) });
    }
  }
}

/** Opens what `clearance view` shows, runs the checks, and looks that nothing went wrong. */
async function showing(name, args, checks) {
  const server = await serve(folder, ...args);
  const { page, errors, requests } = await openPage(browser, { colorScheme: 'light' });
  try {
    await page.goto(server.address);
    assert.equal(await waitUntilReady(page), 'ready');
    const look = await lookAt(page);
    assert.ok(look.drawn > 0.01 && look.colours > 12, `the picture is blank: ${JSON.stringify(look)}`);
    await checks(page, server);
    if (screenshots) await keepPictures(page, name);
    assert.deepEqual(errors, []);
    assert.ok(requests.every((url) => url.startsWith(server.address) || url.startsWith('data:')), `asked others: ${requests}`);
    // Even a script inside the page gets nowhere but to its server.
    assert.ok(await page.evaluate(() => fetch('http://127.0.0.1:9/').then(() => false, () => true)));
  } finally {
    await page.close();
    assert.equal(await server.stop(), 0);
  }
}

/** Puts the slider at a share of its way; returns what the page says the moment is. */
async function slideTo(page, share) {
  await page.locator('input.time').evaluate((slider, at) => {
    slider.value = String(Math.round(at * Number(slider.max)));
    slider.dispatchEvent(new Event('input'));
  }, share);
  await page.waitForTimeout(150);
  return page.locator('.moment').textContent();
}

test('clash: a cell of the matrix flies to the pair and draws its line', async () => {
  run(folder, 'generate', 'gripper', '-o', 'gripper.glb');
  runJson(folder, 'clash.json', 'clash', 'gripper.glb', '--clearance', '0.5mm');
  await showing('clash', ['clash.json'], async (page) => {
    assert.equal(await page.locator('.badge').textContent(), '9 pairs too near');
    const before = await lookAt(page);
    await page.click('.cell[data-row="1"][data-column="0"]');
    await page.waitForTimeout(200);
    assert.equal(await page.locator('.length.focus').textContent(), '0.2 mm');
    assert.match(await page.locator('.hint').textContent(), /palm and finger-left/);
    assert.notEqual((await lookAt(page)).hash, before.hash);
    assert.equal(await page.locator('.rows .selected').count(), 1);
  });
});

test('clash: section, explode, measure, hide and the keys change the picture', async () => {
  await showing('clash_tools', ['clash.json'], async (page) => {
    let last = (await lookAt(page)).hash;
    const changes = async (what) => {
      await page.waitForTimeout(150);
      const { hash } = await lookAt(page);
      assert.notEqual(hash, last, `${what} changed nothing`);
      last = hash;
    };
    await page.keyboard.press('s');
    await changes('the section plane');
    await page.keyboard.press('s');
    await page.keyboard.press('e');
    await changes('exploding');
    await page.keyboard.press('e');
    await page.keyboard.press('3');
    await changes('looking from above');
    await page.locator('.items li input').first().uncheck();
    await changes('hiding a part');
    await page.keyboard.press('a');
    await page.keyboard.press('0');
    await page.keyboard.press('m');
    const box = await page.locator('.stage canvas').boundingBox();
    for (const x of [0.45, 0.55]) await page.mouse.click(box.x + x * box.width, box.y + 0.6 * box.height);
    await page.waitForTimeout(100);
    assert.match(await page.locator('.length.measure').textContent(), /mm$/);
    await page.keyboard.press('Escape');
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('p')]);
    assert.equal(download.suggestedFilename(), 'gripper.glb.png');
    await page.keyboard.press('?');
    assert.ok(await page.locator('.help').isVisible());
    await page.keyboard.press('?');
  });
});

test('check: the slider moves the robot, and a contact on the timeline is looked at', async () => {
  run(folder, 'check', '--example', 'weld');
  runJson(folder, 'check.json', 'check', 'weld/cell.json', 'weld/program.json');
  await showing('check', ['check.json'], async (page) => {
    assert.equal(await page.locator('.badge').textContent(), '3 contacts');
    const before = await lookAt(page);
    assert.match(await slideTo(page, 0.5), /^time 7\.0\d* s$/);
    assert.notEqual((await lookAt(page)).hash, before.hash);
    await page.locator('.mark').first().click();
    await page.waitForTimeout(200);
    assert.match(await page.locator('.hint').textContent(), /forearm – gas line touch/);
    const from = await page.locator('.moment').textContent();
    await page.keyboard.press('ArrowRight');
    assert.notEqual(await page.locator('.moment').textContent(), from);
    await page.click('.play');
    await page.waitForTimeout(400);
    await page.click('.play');
  });
});

test('check --tool-angles: the robot stands at each angle it reaches, free and blocked ones told apart', async () => {
  run(folder, 'check', '--example', 'weld');
  runJson(folder, 'angles.json', 'check', 'weld/cell.json', '--tool-angles', '0.95 0 0.476  0 0 1  0.5 0.87 0',
    '--work', '-60:60:30', '--travel', '0,30', '--rotation', '0');
  await showing('angles', ['angles.json'], async (page) => {
    assert.match(await page.locator('.badge').textContent(), /^\d+ of 10 angles are free$/);
    const before = await lookAt(page);
    await slideTo(page, 1);
    assert.notEqual((await lookAt(page)).hash, before.hash);
    await page.locator('.mark').first().click();
    await page.waitForTimeout(200);
    assert.match(await page.locator('.hint').textContent(), /^work -?\d+°, travel \d+°, rotation 0°: /);
  });
});

test('plan: the body moves along its path, the narrowest place is looked at', async () => {
  runJson(folder, 'plan.json', 'plan', join(repository, 'examples/latch.json'));
  await showing('plan', ['plan.json'], async (page) => {
    assert.equal(await page.locator('.badge').textContent(), 'path found, proven free');
    const before = await lookAt(page);
    assert.equal(await slideTo(page, 0.5), 'way 50 %');
    assert.notEqual((await lookAt(page)).hash, before.hash);
    await page.locator('.mark').click();
    await page.waitForTimeout(200);
    assert.match(await page.locator('.hint').textContent(), /^Narrowest: /);
  });
});

test('simplify: spheres over the mesh, coloured by how far they stick out', async () => {
  run(folder, 'generate', 'pipe-joint', '-o', 'joint.glb');
  runJson(folder, 'simplify.json', 'simplify', 'joint.glb', '--error', '12mm');
  await showing('simplify', ['simplify.json'], async (page) => {
    assert.match(await page.locator('.badge').textContent(), /spheres, proven to cover/);
    assert.equal(await page.locator('.legend h3').textContent(), 'sticks out [mm]');
    const before = await lookAt(page);
    assert.ok(before.colours > 60);
    await page.getByLabel('Show or hide all: Spheres').uncheck();
    await page.waitForTimeout(150);
    assert.notEqual((await lookAt(page)).hash, before.hash);
    await page.getByLabel('Show or hide all: Spheres').check();
  });
});

test('distance: the line between two parts, pose by pose', async () => {
  writeFileSync(join(folder, 'poses.txt'), '0.3 0 0\n0.35 0 0.1\n0.4 0.1 0\n');
  runJson(folder, 'distance.json', 'distance', 'joint.glb', 'gripper.glb', '--poses', 'poses.txt');
  await showing('distance', ['distance.json'], async (page) => {
    const before = await lookAt(page);
    assert.equal(await slideTo(page, 1), 'pose 2');
    assert.notEqual((await lookAt(page)).hash, before.hash);
    await page.locator('.rows tbody tr').nth(1).click();
    assert.equal(await page.locator('.moment').textContent(), 'pose 1');
  });
});

test('fold: the chain moves, boxes of a level are switched on', async () => {
  runJson(folder, 'fold.json', 'fold', 'helix-bundle:30', '--steps', '4000', '--every', '200', '--temperature', '3', '--out', 'fold');
  await showing('fold', ['fold.json'], async (page) => {
    assert.equal(await page.locator('.plot').count(), 3);
    const before = await lookAt(page);
    assert.equal(await slideTo(page, 1), 'step 4000');
    const moved = await lookAt(page);
    assert.notEqual(moved.hash, before.hash);
    for (let i = 0; i < 4; ++i) await page.keyboard.press(']');
    await page.waitForTimeout(150);
    assert.match(await page.locator('.option output').first().textContent(), /boxes of \d+ links/);
    assert.notEqual((await lookAt(page)).hash, moved.hash);
  });
});

test('fold: values below a chart are not cut off, and a chain without a trajectory or with clashes is drawn', async () => {
  await showing('fold_charts', ['fold.json'], async (page) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await slideTo(page, 0.5);
    const cut = await page.locator('.plot').evaluateAll((plots) => plots.flatMap((plot) => {
      const right = plot.getBoundingClientRect().right;
      return [...plot.querySelectorAll('.readout')].filter((value) => value.textContent === '' || value.getBoundingClientRect().right > right + 0.5);
    }).length);
    assert.equal(cut, 0);
  });
  runJson(folder, 'still.json', 'fold', 'helix-bundle:12', '--steps', '10');
  await showing('fold_still', ['still.json'], async (page) => {
    assert.match(await page.locator('.messages').textContent(), /kept no trajectory/);
  });
  runJson(folder, 'clashes.json', 'fold', 'helix-bundle:12', '--clash-factor', '1.4');
  await showing('fold_clashes', ['clashes.json'], async (page) => {
    assert.equal(await page.locator('.badge').textContent(), 'the start clashes');
    assert.ok((await page.locator('.rows tbody tr').count()) > 0);
  });
});

test('fold of a robot: a snake moves in its pipe, seen through the wall', async () => {
  const snake = JSON.parse(readFileSync(join(repository, 'examples/snake.json'), 'utf8'));
  snake.chain[0].repeat = 10;
  writeFileSync(join(folder, 'snake.json'), JSON.stringify(snake));
  run(folder, 'generate', 'pipe', '-o', 'bore.stl');
  const inPipe = ['--obstacle', 'bore.stl', '--obstacle-pose', '0.1 0 0 0 0.7071067811865476 0 0.7071067811865476'];
  runJson(folder, 'walk.json', 'fold', 'snake.json', ...inPipe, '--steps', '3000', '--out', 'walk');
  await showing('fold_robot', ['walk.json'], async (page) => {
    assert.equal(await page.locator('.badge').textContent(), '3,000 steps, none that touches');
    assert.deepEqual(await page.locator('.plot .title').allTextContents(), ['room to the obstacles [mm]', 'room between links [mm]', 'accepted so far']);
    const before = await lookAt(page);
    assert.equal(await slideTo(page, 1), 'step 3000');
    const moved = await lookAt(page);
    assert.notEqual(moved.hash, before.hash);
    for (let i = 0; i < 3; ++i) await page.keyboard.press(']');
    await page.waitForTimeout(150);
    assert.match(await page.locator('.option output').first().textContent(), /boxes of \d+ links/);
    assert.notEqual((await lookAt(page)).hash, moved.hash);
  });
  runJson(folder, 'stuck.json', 'fold', 'snake.json', ...inPipe, '--pose', '0 0.02 0');
  await showing('fold_robot_stuck', ['stuck.json'], async (page) => {
    assert.equal(await page.locator('.badge').textContent(), 'the start touches');
    assert.match(await page.locator('.rows tbody tr').first().textContent(), /pitch_0.*bore\.stl/);
  });
});

test('probe: the mesh by its distance from the robot, over time', async () => {
  run(folder, 'generate', 'atrium', '-o', 'atrium.glb');
  const rows = Array.from({ length: 12 }, (_, i) => `${i / 10},0.00692,${-0.027467 + 3e-4 * i},-0.019269,0.0673,-0.4288,-0.9006,0.022`);
  writeFileSync(join(folder, 'path.csv'), `time,x,y,z,qx,qy,qz,qw\n${rows.join('\n')}\n`);
  runJson(folder, 'probe.json', 'probe', join(repository, 'examples/catheter.json'), 'atrium.glb', '--path', 'path.csv', '--range', '25mm');
  await showing('probe', ['probe.json'], async (page) => {
    assert.equal(await page.locator('.legend h3').textContent(), 'distance [mm]');
    await slideTo(page, 0);
    const before = await lookAt(page);
    assert.equal(await slideTo(page, 1), 'time 1.1 s');
    assert.notEqual((await lookAt(page)).hash, before.hash);
    await page.locator('.rows tbody tr').first().click();
    await page.waitForTimeout(150);
    assert.match(await page.locator('.length.focus').textContent(), /mm$/);
  });
});

test('grasp and pick: grasps by quality, the gripper at a pick', async () => {
  run(folder, 'generate', 'conrod', '--triangles', '2500', '-o', 'rod.stl');
  const frame = join(repository, 'examples/conrod_wire_frame.json');
  runJson(folder, 'grasp.json', 'grasp', 'rod.stl', '--wire-frame', frame, '--best', '3', '--out', 'rod.cgr');
  runJson(folder, 'pick.json', 'pick', 'rod.stl', 'rod.cgr', '--top', 'all', '--simulate', '6', '--seed', '2', '--bin', 'floor 500mm 350mm');
  await showing('grasp', ['grasp.json'], async (page) => {
    const before = await lookAt(page);
    const all = await page.locator('.option output').textContent();
    await page.locator('input.filter').evaluate((slider) => {
      slider.value = '800';
      slider.dispatchEvent(new Event('input'));
    });
    await page.waitForTimeout(150);
    assert.notEqual(await page.locator('.option output').textContent(), all);
    assert.notEqual((await lookAt(page)).hash, before.hash);
  });
  await showing('pick', ['pick.json'], async (page) => {
    const before = await lookAt(page);
    await page.locator('.rows tbody tr').first().click();
    await page.waitForTimeout(200);
    assert.match(await page.locator('.hint').textContent(), /^Part \d+: \d+ free grasp/);
    assert.notEqual((await lookAt(page)).hash, before.hash);
  });
});

test('probe --stream --view: the page follows the robot, and hears of the end', async () => {
  const server = await serveVerb(folder, ['probe', join(repository, 'examples/catheter.json'), 'atrium.glb', '--stream', '--synthetic', 'orbit:6mm',
    '--pose', '0.00692 -0.027467 -0.019269 0.0673 -0.4288 -0.9006 0.022', '--range', '25mm', '--rate', '100', '--margin', '5mm', '--stiffness', '200', '--view']);
  const { page, errors, requests } = await openPage(browser, { colorScheme: 'light' });
  await page.goto(server.address);
  assert.equal(await waitUntilReady(page), 'ready');
  await page.waitForSelector('.live-status[data-state=live]');
  assert.match(await page.locator('.badge').textContent(), /^(closest [\d.]+ (mm|µm)|contact)$/);
  const answers = () => page.locator('.facts dd').nth(4).evaluate((cell) => Number(cell.textContent.replaceAll(',', '')));
  const before = { hash: (await lookAt(page)).hash, answers: await answers() };
  while ((await answers()) < before.answers + 20) await page.waitForTimeout(50);
  assert.notEqual((await lookAt(page)).hash, before.hash, 'the robot does not move');
  // The mesh is coloured: not all of it is beyond the range.
  assert.ok((await lookAt(page)).colours > 60);
  assert.ok(await page.evaluate(() => window.clearanceView.live.plots[0].series[0].y.some((y) => y > 0)));
  // Held, the picture stands still.
  await page.keyboard.press('Space');
  // What was on its way when the key was pressed may still be drawn, on a busy machine late.
  const deadline = Date.now() + 30_000;
  let held = (await lookAt(page)).hash;
  for (let last = null; last !== held && Date.now() < deadline; ) {
    await page.waitForTimeout(300);
    last = held;
    held = (await lookAt(page)).hash;
  }
  await page.waitForTimeout(500);
  assert.equal((await lookAt(page)).hash, held, 'the picture moves on');
  if (screenshots) {
    await page.keyboard.press('Space');
    await page.waitForTimeout(3000);
    await keepPictures(page, 'live');
  }
  await server.stop();
  await page.waitForSelector('.live-status[data-state=ended]');
  assert.equal(await page.locator('.live-status').textContent(), 'The stream has ended.');
  assert.deepEqual(errors, []);
  assert.ok(requests.every((url) => url.startsWith(server.address) || url.startsWith('data:')), `asked others: ${requests}`);
  await page.close();
});

test('a stream that was kept: where the closest pair was, distance and latency over time', async () => {
  const stream = run(folder, 'probe', join(repository, 'examples/catheter.json'), 'atrium.glb', '--stream', '--synthetic', 'orbit:6mm', '--range', '25mm',
    '--pose', '0.00692 -0.027467 -0.019269 0.0673 -0.4288 -0.9006 0.022', '--rate', '200', '--seconds', '2', '--json');
  writeFileSync(join(folder, 'stream.jsonl'), stream);
  await showing('stream', ['stream.jsonl'], async (page) => {
    assert.match(await page.locator('.badge').textContent(), /^(closest [\d.]+ (mm|µm)|\d+ contacts?)/);
    assert.deepEqual(await page.locator('.plot .title').allTextContents(), ['least distance [mm]', 'worst latency [µs]']);
    await slideTo(page, 0);
    const before = await lookAt(page);
    assert.match(await slideTo(page, 0.5), /^time [\d.]+ s$/);
    assert.notEqual((await lookAt(page)).hash, before.hash);
    await page.locator('.rows tbody tr').first().click();
    await page.waitForTimeout(150);
    assert.match(await page.locator('.hint').textContent(), /^Closest: /);
  });
  writeFileSync(join(folder, 'summary.json'), stream.trim().split('\n').at(-1));
  await showing('stream_summary', ['summary.json'], async (page) => {
    assert.match(await page.locator('.messages').textContent(), /summary alone/);
    assert.ok((await page.locator('.rows tbody tr').count()) > 1);
  });
});

test('files in millimetres are seen as large as the verb was told', async () => {
  run(folder, 'generate', 'pipe', '-o', 'mm.stl', '--unit', 'mm', '--triangles', '2000');
  runJson(folder, 'mm.json', 'distance', 'mm.stl', 'mm.stl', '--unit', 'mm', '--pose', '0.09 0 0');
  await showing('unit', ['mm.json'], async (page) => {
    const size = await page.evaluate(() => {
      const { min, max } = window.clearanceView.stage.items[0].box();
      return Math.max(max.x - min.x, max.y - min.y, max.z - min.z);
    });
    assert.ok(size > 0.05 && size < 2, `the pipe is ${size} m long`);
  });
});

test('a mesh with more triangles than a page takes is drawn coarser, and says so', async () => {
  const server = await serve(folder, 'probe.json', '--triangles', '3000');
  const { page, errors } = await openPage(browser);
  await page.goto(server.address);
  assert.equal(await waitUntilReady(page), 'ready');
  assert.match(await page.locator('.messages').textContent(), /triangles are more than a page takes/);
  assert.match(server.words(), /probe\.json: warning: .*more than a page takes/);
  const drawn = await page.evaluate(() => window.clearanceView.stage.items.reduce((sum, view) => sum + view.triangles, 0));
  assert.ok(drawn > 1000 && drawn < 4000, String(drawn));
  // Its colours are still there.
  assert.ok((await lookAt(page)).colours > 60);
  assert.deepEqual(errors, []);
  await page.close();
  await server.stop();
});

test('orbiting sends nothing to the graphics card again', async () => {
  const server = await serve(folder, 'gripper.glb');
  const { page } = await openPage(browser);
  await page.goto(server.address);
  assert.equal(await waitUntilReady(page), 'ready');
  const box = await page.locator('.stage canvas').boundingBox();
  await page.evaluate(() => {
    window.sent = 0;
    for (const name of ['bufferData', 'bufferSubData']) {
      const original = WebGL2RenderingContext.prototype[name];
      WebGL2RenderingContext.prototype[name] = function (...args) {
        ++window.sent;
        return original.apply(this, args);
      };
    }
  });
  const frames = await page.evaluate(() => window.clearanceView.stage.frames);
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.8 * box.height);
  await page.mouse.down();
  for (let i = 1; i <= 10; ++i) {
    await page.mouse.move(box.x + (0.5 + 0.02 * i) * box.width, box.y + 0.8 * box.height);
    await page.waitForTimeout(50);
  }
  await page.mouse.up();
  assert.ok((await page.evaluate(() => window.clearanceView.stage.frames)) > frames, 'nothing was drawn');
  assert.equal(await page.evaluate(() => window.sent), 0);
  await page.close();
  await server.stop();
});

test('a tree of any volume, level by level, goes where its mesh goes', async () => {
  for (const volume of ['wide', 'rss', 'sphere']) {
    await showing(`tree_${volume}`, ['gripper.glb', '--tree', '--volume', volume], async (page) => {
      assert.match(await page.locator('.option output').first().textContent(), /^level \d+: \d+ volumes$/);
      const before = await lookAt(page);
      await page.keyboard.press(']');
      await page.waitForTimeout(150);
      assert.notEqual((await lookAt(page)).hash, before.hash);
      await page.keyboard.press('e');
      await page.waitForTimeout(150);
      // The boxes of a part stay around it when the parts move apart.
      const gap = await page.evaluate(() => {
        const { items } = window.clearanceView.stage;
        return Math.max(...items.filter((view) => view.object.visible && view.item.owner !== undefined).map((view) => {
          const owner = items[view.item.owner].box();
          return owner.getCenter(owner.min.clone()).distanceTo(view.box().getCenter(owner.min.clone())) / owner.getSize(owner.min.clone()).length();
        }));
      });
      assert.ok(gap < 0.25, `the boxes are off by ${gap} of the part`);
      await page.keyboard.press('e');
      // A part that is hidden hides its boxes.
      const shown = () => page.evaluate(() => window.clearanceView.stage.items.filter((view) => view.object.visible).length);
      const all = await shown();
      await page.locator('.items li input').first().uncheck();
      assert.equal(await shown(), all - 2);
      await page.locator('.items li input').first().check();
    });
  }
});

test('disassembly: parts leave step by step; verify: the plan and what is said about it', async () => {
  writeFileSync(join(folder, 'apart.json'), run(folder, 'plan', '--disassemble', join(repository, 'examples/latch.json'), '--plans', 'plans', '--json'));
  await showing('disassembly', ['apart.json'], async (page) => {
    assert.match(await page.locator('.badge').textContent(), /^comes apart in \d+ step/);
    const atRest = await lookAt(page);
    await slideTo(page, 0.4);
    const before = await lookAt(page);
    assert.notEqual(before.hash, atRest.hash, 'a part moves with the slider');
    await page.locator('.rows tbody tr').first().click();
    await page.waitForTimeout(200);
    assert.equal(await page.locator('.moment').textContent(), 'step 0.5');
    assert.notEqual((await lookAt(page)).hash, before.hash);
    assert.match(await page.locator('.hint').textContent(), /^Step 1: .*clearance/);
  });
  runJson(folder, 'verify.json', 'verify', 'plan.json');
  await showing('verify', ['verify.json'], async (page) => {
    assert.equal(await page.locator('.badge').textContent(), 'verified: free over its whole length');
    const before = await lookAt(page);
    await slideTo(page, 0.6);
    assert.notEqual((await lookAt(page)).hash, before.hash);
  });
});

test('inspect: the files, each looked at alone, and what was found in them', async () => {
  runJson(folder, 'inspect.json', 'inspect', 'joint.glb', 'gripper.glb');
  await showing('inspect', ['inspect.json'], async (page) => {
    await page.locator('.rows tbody tr').nth(1).click();
    assert.match(await page.locator('.hint').textContent(), /^gripper\.glb: (closed|open)/);
    assert.match(await page.locator('.badge').textContent(), /^2 files, /);
  });
});

test('an exported page works from a file, and a result that cannot be shown says why', async () => {
  writeFileSync(join(folder, 'odd.json'), '{"schema": "clearance.clash", "version": 99}');
  run(folder, 'view', 'gripper.glb', 'odd.json', '--export', 'page.html');
  const { page, errors, requests } = await openPage(browser);
  await page.goto(`file://${join(folder, 'page.html')}`);
  assert.equal(await waitUntilReady(page), 'ready');
  assert.ok((await lookAt(page)).drawn > 0.05);
  await page.click('.tab[data-index="1"]');
  await page.waitForSelector('body[data-kind=error]');
  assert.match(await page.locator('.message.bad').textContent(), /version 99 .* newer clearance/);
  assert.deepEqual(errors, []);
  assert.ok(requests.every((url) => /^(file|data):/.test(url)), `asked others: ${requests}`);
  // Even a script inside the page gets nowhere.
  const blocked = await page.evaluate(() => fetch('http://127.0.0.1:9/').then(() => false, () => true));
  assert.ok(blocked);
  await page.close();
});

test('a missing mesh is told of on the page, and the numbers are still there', async () => {
  const other = makeFolder();
  run(folder, 'generate', 'pipe', '-o', 'gone.stl', '--triangles', '2000');
  writeFileSync(join(other, 'clash.json'), run(folder, 'clash', 'gone.stl', 'gripper.glb', '--json'));
  const server = await serve(other, 'clash.json');
  const { page, errors } = await openPage(browser);
  await page.goto(server.address);
  await waitUntilReady(page);
  assert.match(await page.locator('.messages').textContent(), /gone\.stl/);
  assert.match(server.words(), /gone\.stl/);
  assert.ok((await page.locator('.rows tbody tr').count()) > 0);
  assert.deepEqual(errors, []);
  await page.close();
  await server.stop();
});
