/** `npm run openapi`: writes api/openapi.yaml from the endpoint declarations. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endpoints } from '../../api/endpoints.ts';
import { openApiYaml } from '../../api/openapi/document.ts';
import { packageRoot } from '../../src/platform/package-root.ts';

await writeFile(join(packageRoot(), 'api/openapi.yaml'), openApiYaml(endpoints));
