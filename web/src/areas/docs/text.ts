/** English texts of the pages that show the guides. */
export const docs = {
  title: 'Guides',
  index: 'All guides',
  pages: 'Pages of the guides',
  menu: 'All pages',
  start: 'Start here',
  gates: 'Gates',
  reference: 'API reference',
  onThisPage: 'On this page',
  search: 'Search the guides',
  found: (count: number) =>
    count === 0 ? 'Nothing found for' : `${count === 1 ? '1 place' : `${count} places`} for`,
  most: (count: number) => `The first ${count} places. Add a word to narrow them down.`,
  noneHint: 'Try fewer or other words. Words are found by their beginnings and parts.',
  codeOf: (language: string) => (language === '' ? 'Code' : `Code: ${language}`),
  fileOf: (file: string) => `Save as ${file}`,
  tableOf: (columns: string) => `Table: ${columns}`,
  linkTo: (heading: string) => `Link to “${heading}”`,
  inSource: (path: string) => `${path} in the source`,
} as const;
