// Pictures of every page and state, light and dark, on a phone and on a wide screen: PAGE-STATE-WIDTH-THEME.png.
//
// WINDLASS_BINARY: the server. CHROMIUM: the browser. SCREENSHOTS: where they go, target/screenshots unless said
// otherwise. WINDLASS_DIST: a build of the app that is shown instead of the one in the binary. Words on the command
// line choose: scenes and pictures whose names have one of them. Ends with 1 if a page complained.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { scenes } from './screenshots/scenes.mjs';
import { shrink } from './screenshots/shrink.mjs';
import { modelServer, root, searchServer, Stage } from './screenshots/stage.mjs';

const WIDTHS = [1440, 360];
const THEMES = ['light', 'dark'];
const HEIGHTS = { 1440: 900, 360: 740 };
/** How long after a scene was made its pages think it is. */
const LATER_MS = 5 * 60_000;

const folder = resolve(process.env.SCREENSHOTS ?? process.env.OUT ?? join(root, 'target/screenshots'));
const words = process.argv.slice(2);
const isWanted = (...names) => words.length === 0 || words.some((word) => names.some((name) => name.includes(word)));
const complaints = [];

const MEDIA = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.webmanifest': 'application/manifest+json' };

/** Shows a build that is not in the binary yet. */
async function showOwnBuild(context, dist) {
  await context.route(
    (url) => !/^\/(api|docs|openapi|healthz|readyz|metrics|v1|chat)/.test(url.pathname),
    async (route) => {
      const { pathname } = new URL(route.request().url());
      // Addresses of modules have points in them, too.
      const file = extname(pathname) in MEDIA ? pathname : '/index.html';
      await route.fulfill({ body: readFileSync(join(dist, file)), contentType: MEDIA[extname(file)] ?? 'application/octet-stream' });
    },
  );
}

function listenTo(page, name, shot) {
  page.on('pageerror', (error) => complaints.push(`${name}: ${error.message}`));
  page.on('console', (message) => {
    // What the server refuses, or that it is away, is told by the page itself.
    const isNetwork = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !(isNetwork || shot.isOffline)) complaints.push(`${name}: ${message.text()}`);
  });
}

async function take(browser, stage, shot, facts, width, theme) {
  const name = `${shot.name}-${width}-${theme}`;
  const context = await browser.newContext({
    viewport: { width, height: shot.height ?? HEIGHTS[width] },
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  try {
    if (process.env.WINDLASS_DIST) await showOwnBuild(context, resolve(process.env.WINDLASS_DIST));
    if (!shot.isStranger) await context.request.post(`${stage.url}/api/sign-in`, { data: { token: stage.token } });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    listenTo(page, name, shot);
    // What goes on shows how long it has: that is not frozen.
    if (!shot.isLive) await page.clock.setFixedTime(facts.made_ms + LATER_MS);
    await page.goto(stage.url + shot.path(facts));
    await shot.act?.(page, facts, stage);
    await page.evaluate(() => document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))));
    const picture = await page.screenshot({ caret: 'hide', animations: 'disabled' });
    writeFileSync(join(folder, `${name}.png`), shrink(picture));
  } catch (error) {
    complaints.push(`${name}: ${error.message.split('\n').slice(0, 3).join(' ')}`);
  } finally {
    await context.close();
    await shot.after?.(stage);
  }
}

async function play(browser, scene, helpers) {
  const shots = scene.shots.filter((shot) => isWanted(scene.name, shot.name));
  if (shots.length === 0) return 0;
  const stage = await Stage.up({ ...scene.wish, config: scene.needs ? helpers[scene.needs].config : '' });
  let count = 0;
  try {
    const facts = { ...(await scene.prepare(stage)), made_ms: Date.now() };
    for (const shot of shots) {
      for (const width of shot.widths ?? WIDTHS) {
        for (const theme of THEMES) {
          await take(browser, stage, shot, facts, width, theme);
          count += 1;
        }
      }
    }
  } catch (error) {
    complaints.push(`scene ${scene.name}: ${error.message}`);
  } finally {
    await stage.down();
  }
  return count;
}

mkdirSync(folder, { recursive: true });
const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-dev-shm-usage', '--hide-scrollbars'];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args });
const helpers = { search: await searchServer(), model: await modelServer() };
let count = 0;
for (const scene of scenes) count += await play(browser, scene, helpers);
await browser.close();
for (const helper of Object.values(helpers)) helper.end();
for (const complaint of complaints) console.error(complaint);
console.log(`${count} pictures in ${folder}${complaints.length ? `, ${complaints.length} complaints` : ''}`);
process.exit(complaints.length ? 1 : 0);
