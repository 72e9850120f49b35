// A first module, for whoever has none.

export const FIRST_MANIFEST = JSON.stringify(
  { version: '1.0', modules: { 'sort.mail': { path: 'sort_mail.json', tags: ['mail'] } } },
  null,
  2,
);

export const FIRST_MODULE = JSON.stringify(
  {
    module_id: 'sort.mail',
    predictor_type: 'predict',
    signature: {
      inputs: [{ name: 'mail', description: 'The text of a mail' }],
      outputs: [
        { name: 'folder', description: 'work, friends or spam' },
        { name: 'urgent', description: 'Whether it must be answered today', field_type: 'boolean' },
      ],
    },
    instruction: 'Sort the mail into a folder.',
    demos: [],
    metadata: { version: '1' },
  },
  null,
  2,
);
