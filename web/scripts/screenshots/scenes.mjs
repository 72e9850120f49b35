// Every page and state that a picture is taken of. A scene has a server of its own; its shots are places in it.
//
// { name, wish, prepare(stage) → facts, shots: [{ name, path(facts), act?(page, facts), isLive?, isOffline?, height?, after?(stage) }] }

const MESSAGE = 'List the files, compute the size, and write a report.';
const button = (page, name) => page.getByRole('button', { name }).first();
const seen = (page, text) => page.getByRole('main').getByText(text).first().waitFor();
const session = (facts) => `/s/${facts.session}`;
const isNarrow = (page) => page.viewportSize().width < 900;

/** A scene of one run that stops in the middle, or at its end. */
const run = (name, script, message, ready, shots, more = {}) => ({
  name,
  wish: { script, ...more.wish },
  needs: more.needs,
  prepare: async (stage) => {
    const facts = await stage.begin(message, more.run);
    await ready(stage, facts);
    return facts;
  },
  shots: shots.map((shot) => ({ path: session, isLive: true, ...shot })),
});

const hello = {
  name: 'shell',
  wish: { script: 'hello.script' },
  prepare: async (stage) => {
    const titles = ['Say hello.', 'Which crates does the server use?', 'Tidy the changelog', 'Why is the test slow?', 'A haul of ropes', 'Rename the harbour'];
    const made = [];
    for (const title of titles) {
      const begun = await stage.begin('Say hello.');
      await stage.ended(begun.run);
      await stage.api(`/api/sessions/${begun.session}`, { title }, 'PATCH');
      made.push(begun);
    }
    for (const [effect, rule] of [['allow', 'read_file(src/**)'], ['ask', 'fetch_url'], ['deny', 'execute_command(rm *)'], ['allow', 'execute_command(git status *)']]) {
      await stage.api('/api/policies', { effect, rule });
    }
    for (const [tool, args] of [['calculate', { expression: '19 + 23' }], ['read_file', { path: 'src/load.rs' }], ['execute_command', { command: 'rm notes.txt' }], ['write_file', { path: 'log.txt', content: 'x' }], ['read_file', {}]]) {
      await stage.tryTool(tool, args);
    }
    return made[0];
  },
  shots: [
    { name: 'session-new', path: () => '/', act: (page) => page.getByRole('heading', { level: 1 }).first().waitFor() },
    { name: 'session-short', path: session, act: (page) => seen(page, 'Hello! Ask me') },
    {
      name: 'sidebar-search', path: session,
      act: async (page) => {
        if (isNarrow(page)) await button(page, /sidebar/).click();
        await page.getByLabel('Search sessions').fill('the');
        await page.getByRole('link', { name: /A haul of ropes/ }).waitFor({ state: 'detached' });
      },
    },
    {
      name: 'sidebar-drawer', path: session, widths: [360],
      act: async (page) => {
        await button(page, /sidebar/).click();
        await page.getByRole('link', { name: /Tidy the changelog/ }).first().waitFor();
      },
    },
    {
      name: 'composer-tools', path: () => '/',
      act: async (page) => {
        await button(page, /^Tools/).click();
        await page.getByRole('checkbox', { name: /^read_file/ }).waitFor();
      },
    },
    {
      name: 'composer-models', path: () => '/',
      act: async (page) => {
        await button(page, /^Model/).click();
        // By its list: the page has other options, of choices that are closed.
        await page.getByRole('listbox', { name: 'Models' }).getByRole('option').nth(2).waitFor();
      },
    },
    { name: 'missing-page', path: () => '/nowhere', act: (page) => seen(page, 'Not found') },
    { name: 'missing-session', path: () => '/s/nobody', act: (page) => page.getByRole('main').getByText(/deleted|gone|no such/i).first().waitFor() },
    { name: 'tools-list', path: () => '/tools', act: (page) => seen(page, /^\d+ tools$/) },
    {
      name: 'tools-form', path: () => '/tools/edit_file',
      act: async (page) => {
        await page.getByLabel('path').fill('src/greet.rs');
        await page.getByLabel('new').fill('println!("Good to see you!");');
        await page.getByLabel('old').fill('println!("Hello.");');
        await page.getByLabel('expected_sha256').fill('not a hash');
        await page.getByText('Must match').waitFor();
        await page.getByRole('heading', { name: 'edit_file' }).evaluate((heading) => heading.scrollIntoView());
      },
    },
    {
      name: 'tools-asking', path: () => '/tools/write_file',
      act: async (page) => {
        await page.getByLabel('path').fill('notes/wednesday.md');
        await page.getByLabel('content').fill('Hauled five loads.\n');
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        await page.getByText('This call needs approval').waitFor();
      },
    },
    {
      name: 'tools-outcome', path: () => '/tools/search_text',
      act: async (page) => {
        await page.getByLabel('pattern').fill('Hauled');
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        await page.getByRole('region', { name: 'Outcome' }).waitFor();
      },
    },
    { name: 'tools-schema', path: () => '/tools/execute_command', act: (page) => page.getByRole('tab', { name: 'Schema' }).click() },
    { name: 'permissions-rules', path: () => '/permissions', act: (page) => seen(page, '4 rules') },
    {
      name: 'permissions-explain', path: () => '/permissions?tab=explain',
      act: async (page) => {
        await page.getByLabel('path').fill('notes.txt');
        await page.getByRole('button', { name: 'Explain', exact: true }).click();
        await page.getByText('All gates, in order').waitFor();
      },
    },
    { name: 'permissions-audit', path: () => '/permissions?tab=audit', act: (page) => page.locator('main li').getByText('Denied by policy').first().waitFor() },
    { name: 'models-list', path: () => '/models', act: (page) => seen(page, /models/) },
    {
      name: 'search-page', path: () => '/search?q=Hauled',
      act: (page) => page.getByText('notes/monday.md:1').waitFor(),
    },
    { name: 'modules-empty', path: () => '/modules', act: (page) => seen(page, 'No modules yet') },
    { name: 'tasks-empty', path: () => '/tasks', act: (page) => seen(page, 'No tasks yet') },
    { name: 'saves-empty', path: () => '/saves', act: (page) => seen(page, 'No snapshots yet') },
    {
      name: 'offline-session', path: session, isOffline: true,
      act: async (page, facts, stage) => {
        await seen(page, 'Hello! Ask me');
        await stage.kill();
        await page.getByText(/not responding|connection/i).first().waitFor();
      },
      after: (stage) => stage.start(),
    },
    {
      name: 'offline-page', path: () => '/tools', isOffline: true,
      act: async (page, facts, stage) => {
        await seen(page, /^\d+ tools$/);
        await stage.kill();
        await page.evaluate(() => dispatchEvent(new Event('online')));
        await page.getByRole('main').getByText('The server is not responding', { exact: true }).waitFor();
      },
      after: (stage) => stage.start(),
    },
  ],
};

/** The built-in model, asked as somebody would who just started. */
const builtin = {
  name: 'builtin',
  wish: { model: 'builtin', args: ['--allow', 'read_file'] },
  prepare: async (stage) => {
    const begun = await stage.begin('What files are in this project?');
    await stage.ended(begun.run);
    const { run_id } = await stage.api(`/api/sessions/${begun.session}/runs`, { message: 'Read src/greet.rs' });
    await stage.ended(run_id);
    return begun;
  },
  shots: [{ name: 'builtin', path: session, act: (page) => seen(page, '// Greets.') }],
};

const module = (module_id, instruction, signature, more = {}) => ({ module_id, instruction, signature, ...more, metadata: { version: '1', ...more.metadata } });
const MODULES = {
  'sort.mail': module('sort.mail', 'Sort the mail into a folder. What is not urgent can wait until tomorrow.', {
    inputs: [{ name: 'mail', description: 'The text of a mail' }],
    outputs: [{ name: 'folder', description: 'work, friends or spam' }, { name: 'urgent', description: 'Whether it must be answered today', field_type: 'boolean' }],
  }, { metadata: { version: '3', optimizer: 'bootstrap_few_shot', score: 0.92 } }),
  'harbour.log': module('harbour.log', 'Write one line for the log of the harbour from what the watch says.', {
    inputs: [{ name: 'said', description: 'What the watch says' }, { name: 'tide', description: 'high or low' }],
    outputs: [{ name: 'line' }],
  }, { predictor_type: 'chain_of_thought' }),
  'load.plan': module('load.plan', 'Find out which loads wait, and plan the order in which they are hauled.', {
    inputs: [{ name: 'day' }],
    outputs: [{ name: 'order', field_type: 'json' }],
  }, { predictor_type: 'react', tool_enabled: true, tools: ['list_directory', 'read_file'] }),
};
const modules = {
  name: 'modules',
  wish: {
    script: 'module.script',
    files: {
      '.windlass/modules/manifest.json': JSON.stringify({ version: '1.0', modules: Object.fromEntries(Object.keys(MODULES).map((id) => [id, { path: `${id}.json`, tags: [id.split('.')[0]] }])) }),
      ...Object.fromEntries(Object.entries(MODULES).map(([id, made]) => [`.windlass/modules/${id}.json`, JSON.stringify(made)])),
    },
  },
  prepare: async () => ({}),
  shots: [
    { name: 'modules-list', path: () => '/modules', act: (page) => seen(page, '3 modules') },
    {
      name: 'modules-outputs', path: () => '/modules/sort.mail',
      act: async (page) => {
        await page.getByRole('textbox', { name: /^mail/ }).fill('Lunch at the pier on Friday? Ada');
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        await page.getByLabel('Outputs').waitFor();
      },
    },
    {
      name: 'modules-prompt', path: () => '/modules/sort.mail',
      act: async (page) => {
        await page.getByRole('textbox', { name: /^mail/ }).fill('Lunch at the pier on Friday? Ada');
        await page.getByRole('tab', { name: 'Prompt' }).click();
        await page.getByLabel('message 1', { exact: true }).waitFor();
      },
    },
    { name: 'modules-signature', path: () => '/modules/load.plan', act: (page) => page.getByRole('tab', { name: 'Signature' }).click() },
  ],
};

const tour = run('answer', 'tour.script', 'How does a windlass hold its load?', async (stage, facts) => {
  await stage.ended(facts.run);
}, [
  { name: 'answer-end', isLive: false, act: (page) => seen(page, 'How it holds') },
  { name: 'answer-whole', isLive: false, height: 1700, act: (page) => seen(page, 'How it holds') },
  {
    name: 'answer-reasoning', isLive: false,
    act: async (page) => {
      await seen(page, 'How it holds');
      await page.locator('[data-part=reasoning] button[aria-expanded]').first().click();
      await page.locator('[data-part=reasoning]').first().scrollIntoViewIfNeeded();
    },
  },
], { needs: 'search', run: { reasoning_effort: 'high' }, wish: { args: ['--approve', 'all'] } });

const inspector = {
  name: 'inspector',
  wish: { script: 'inspector_tour.script' },
  prepare: async (stage) => {
    const facts = [];
    for (const decision of ['once', 'deny']) {
      const begun = await stage.begin(MESSAGE, { reasoning_effort: 'low' });
      await stage.asked(begun.run, 1, decision);
      await stage.ended(begun.run);
      facts.push(begun);
    }
    const [one, other] = facts;
    const data = { prompt: MESSAGE, note: 'The one that went well.', settings: { model: 'scripted/tour', profile: 'default' }, run_id: one.run };
    const save = await stage.api('/api/saves', { title: 'The report', model: 'scripted/tour', run_id: one.run, data });
    await stage.api('/api/saves', { title: 'The report that was denied', model: 'scripted/tour', run_id: other.run, data: { prompt: MESSAGE, run_id: other.run } });
    return { ...one, other: other.run, save: save.id };
  },
  shots: [
    { name: 'inspector-page', path: ({ run }) => `/runs/${run}`, act: (page) => page.locator('[data-key="call:call_1"]').waitFor() },
    { name: 'inspector-call', path: ({ run }) => `/runs/${run}?call=call_4`, act: (page) => page.locator('.pane').getByText('Allowed once.').waitFor() },
    { name: 'inspector-failed', path: ({ run }) => `/runs/${run}?call=call_5`, act: (page) => page.locator('.pane').getByText('not_found').waitFor() },
    {
      name: 'inspector-step', path: ({ run }) => `/runs/${run}?step=2`,
      act: async (page) => {
        await page.locator('.pane').getByRole('tab', { name: 'Request' }).click();
        await page.locator('.pane').getByText(MESSAGE).waitFor();
      },
    },
    {
      name: 'inspector-drawer', path: session,
      act: async (page) => {
        await seen(page, 'The report is written');
        await button(page, /Inspect run|Open inspector/).click();
        await page.locator('[data-key="call:call_1"]').waitFor();
      },
    },
    { name: 'compare', path: ({ run, other }) => `/compare?left=${run}&right=${other}`, act: (page) => page.getByText('First difference').first().waitFor() },
    { name: 'saves-list', path: () => '/saves', act: (page) => seen(page, '2 snapshots') },
    { name: 'saves-one', path: ({ save }) => `/saves/${save}`, act: (page) => page.getByRole('row').nth(3).waitFor() },
  ],
};

const tasks = run('tasks', 'tasks.script', 'Plan the release.', (stage, facts) => stage.ended(facts.run), [
  { name: 'tasks-live', path: () => '/tasks', act: (page) => seen(page, '1 of 3 done') },
]);

const models = {
  name: 'doctor',
  needs: 'model',
  wish: { model: 'basement/llama-3.3-70b' },
  prepare: async (stage) => {
    await stage.api('/api/models/doctor', { name: 'basement/llama-3.3-70b' });
    return {};
  },
  shots: [{ name: 'models-doctor', path: () => '/models', act: (page) => page.getByText(/^Doctor:/).first().click() }],
};

const signIn = {
  name: 'sign-in',
  wish: {},
  prepare: async () => ({}),
  shots: [
    { name: 'sign-in', path: () => '/', isStranger: true, act: (page) => page.getByRole('button').first().waitFor() },
    { name: 'sign-in-late', path: () => '/#sign-in=0.used.0', isStranger: true, act: (page) => page.getByText('used before').waitFor() },
  ],
};

export const scenes = [
  hello,
  builtin,
  modules,
  run('streaming', 'shot_streaming.script', 'How do I read a file line by line in Rust?', (stage, { session }) => stage.recorded(session, 'step_started'), [
    { name: 'answer-streaming', act: (page) => seen(page, 'because reading may fail') },
  ]),
  run('waiting', 'shot_waiting.script', 'Which of the two designs is safer?', (stage, { session }) => stage.recorded(session, 'step_started'), [
    { name: 'reasoning-waiting', act: (page) => seen(page, 'Waiting for reasoning tokens') },
  ], { run: { reasoning_effort: 'high' } }),
  run('reasoning', 'shot_reasoning.script', 'Which of the two designs is safer?', (stage, { session }) => stage.recorded(session, 'step_started'), [
    { name: 'reasoning-open', act: (page) => seen(page, 'In the first design') },
  ], { run: { reasoning_effort: 'high' } }),
  run('search', 'shot_search.script', 'What holds the load of a windlass?', (stage, { session }) => stage.recorded(session, 'call_ended', 2), [
    { name: 'search-open', act: (page) => page.locator('[data-part=search] a').first().waitFor() },
  ], { needs: 'search', run: { reasoning_effort: 'high' }, wish: { args: ['--allow', 'web_search'] } }),
  tour,
  run('diff', 'shot_diff.script', 'Make the greeting friendlier.', (stage, { run }) => stage.asked(run), [
    { name: 'approval-diff', height: 1100, act: (page) => page.locator('[data-part=approvals]').waitFor() },
  ], { wish: { args: ['--allow', 'read_file'] } }),
  run('command', 'shot_command.script', 'Run the tests.', (stage, { run }) => stage.asked(run), [
    { name: 'approval-command', act: (page) => page.locator('[data-part=approvals]').waitFor() },
  ]),
  run('critical', 'critical.script', 'Run something dangerous.', (stage, { run }) => stage.asked(run), [
    { name: 'approval-critical', act: (page) => page.locator('[data-part=approvals]').waitFor() },
  ]),
  run('several', 'shot_several.script', 'Compare the three notes.', (stage, { run }) => stage.asked(run, 3), [
    { name: 'approval-several', act: (page) => page.locator('[data-part=approvals]').waitFor() },
  ], { wish: { files: { '.windlass/config.toml': '[permissions]\nask = ["read_file"]\n' } } }),
  run('warnings', 'shot_warnings.script', 'Count the files, and compute what they weigh.', (stage, { run }) => stage.ended(run), [
    { name: 'warnings', act: (page) => seen(page, 'There are four files') },
  ]),
  run('error', 'shot_error.script', 'Summarise the notes.', (stage, { run }) => stage.ended(run), [
    { name: 'run-failed', act: (page) => seen(page, /not accepted/) },
  ]),
  inspector,
  tasks,
  models,
  signIn,
];
