// Writes the protocol types of the app from schema/; with --check, says whether they are what they should be.
import { readFile, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';
import openapi, { astToString } from 'openapi-typescript';

const root = new URL('../../', import.meta.url);
const banner = (from) => `// Generated from schema/${from} by \`npm run schema\`. Do not edit.\n`;

async function apiTypes() {
  const tree = await openapi(new URL('schema/openapi.json', root), { alphabetize: false });
  return banner('openapi.json') + astToString(tree);
}

async function eventTypes() {
  const schema = JSON.parse(await readFile(new URL('schema/events.schema.json', root), 'utf8'));
  const style = { bannerComment: '', additionalProperties: false, unreachableDefinitions: true, format: false };
  return banner('events.schema.json') + (await compile(schema, 'Record', style));
}

const wanted = [
  ['web/src/protocol/api.ts', apiTypes],
  ['web/src/protocol/events.ts', eventTypes],
];

const isCheck = process.argv.includes('--check');
let stale = 0;
for (const [path, make] of wanted) {
  const file = new URL(path, root);
  const text = await make();
  if (!isCheck) {
    await writeFile(file, text);
  } else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    console.error(`${path} is not what schema/ says; run: npm run schema`);
    stale += 1;
  }
}
process.exit(stale ? 1 : 0);
