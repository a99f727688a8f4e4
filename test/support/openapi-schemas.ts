/** Schemas of the description of the API, compiled as a strict client compiles them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { parse } from 'yaml';
import { packageRoot } from '../../src/platform/package-root.ts';

export const DESCRIPTION = join(packageRoot(), 'api/openapi.yaml');

/** The committed components. Without the paths, the file is read five times faster. */
export function committedComponents(): object {
  const [, components = ''] = readFileSync(DESCRIPTION, 'utf8').split(/^(?=components:$)/m);
  return (parse(components) as { readonly components: object }).components;
}

/** Compiles schemas that refer to these components, each once. */
export function compilerOf(components: object): {
  readonly validatorOf: (schema: object) => ValidateFunction;
  readonly errorsOf: (validate: ValidateFunction) => string;
} {
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    allErrors: true,
    inlineRefs: false,
    code: { optimize: false },
  });
  formats.default(ajv, ['uuid', 'date-time', 'email', 'uri', 'int64', 'password']);
  for (const keyword of ['components', 'example', 'discriminator'])
    ajv.addKeyword({ keyword, valid: true });
  ajv.addSchema({ $id: 'description:', components }, 'description');
  const compiled = new Map<string, ValidateFunction>();
  return {
    validatorOf: (schema) => {
      const text = JSON.stringify(schema).replaceAll(
        '"#/components/',
        '"description:#/components/',
      );
      const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as object);
      compiled.set(text, validate);
      return validate;
    },
    errorsOf: (validate) => ajv.errorsText(validate.errors),
  };
}
