/** The adapters and these tests, with the types of the frameworks. `npm run types` leaves them out, because it runs without these. */
import { dirname, join } from 'node:path';
import { expect } from '@jest/globals';
import ts from 'typescript';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { test } from './framework.ts';

/** In the files of a project, not in what they import. */
function mistakesIn(project: string): readonly string[] {
  const path = join(packageRoot(), project, 'tsconfig.json');
  const { config } = ts.readConfigFile(path, ts.sys.readFile) as { readonly config: unknown };
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(path));
  expect(fileNames.length).toBeGreaterThan(5);
  const program = ts.createProgram(fileNames, options);
  return fileNames.flatMap((name) => {
    const file = program.getSourceFile(name);
    const found = [
      ...program.getSemanticDiagnostics(file),
      ...(options.declaration ? program.getDeclarationDiagnostics(file) : []),
    ];
    return found.map(
      ({ messageText }) => `${name}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
  });
}

test.each(['sdk/typescript', 'test/sdk/frameworks'])(
  '%s has no mistake in its types',
  (project) => {
    expect(mistakesIn(project)).toEqual([]);
  },
);
