/** `npm run docs:config`: writes docs/operations/configuration.md from the table of environment variables. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configMarkdown } from '../../src/platform/config-table.ts';
import { packageRoot } from '../../src/platform/package-root.ts';

await writeFile(
  join(packageRoot(), 'docs/operations/configuration.md'),
  `# Configuration

<!-- Generated from src/platform/config-table.ts by \`npm run docs:config\`. Do not edit. -->

The service reads its configuration from environment variables only. A wrong value stops the start and names the variable.
\`countersign config\` prints this table.

${configMarkdown()}
`,
);
