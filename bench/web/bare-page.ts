/**
 * What the web app is compared with: the least that React and Vite make, built with the same
 * settings and served with the same headers.
 */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Koa from 'koa';
import { build, loadConfigFromFile, type Plugin, type UserConfig } from 'vite';
import { securityHeaders } from '../../api/http/server.ts';
import { serveWebApp } from '../../api/pages/web-app.ts';
import { packageRoot } from '../../src/platform/package-root.ts';

/** `/bare` says hello. `/naive` draws a value as most pages do: parsed by JSON.parse, every line in the page. */
const SCRIPT = `
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

const show = (content) => createRoot(document.getElementById('app')).render(content);
if (location.pathname === '/naive') {
  const value = JSON.parse(await (await fetch('/api/value')).text());
  const lines = Object.entries(value.values).map(([key, each]) =>
    createElement('div', { key }, createElement('span', null, key), ': ', createElement('span', null, String(each))));
  show([...lines, createElement('button', { key: 'approve' }, 'Approve')]);
} else show(createElement('p', null, 'Hello'));
`;

export interface BarePage {
  readonly url: string;
  stop(): Promise<void>;
}

/** `value`: the JSON that `/naive` draws. */
export async function startBarePage(directory: string, value: string): Promise<BarePage> {
  const folder = join(directory, 'bare-page');
  mkdirSync(folder);
  const index = readFileSync(join(packageRoot(), 'web/index.html'), 'utf8');
  writeFileSync(join(folder, 'index.html'), index.replace('/src/app/main.tsx', '/main.js'));
  writeFileSync(join(folder, 'main.js'), SCRIPT);
  symlinkSync(join(packageRoot(), 'node_modules'), join(folder, 'node_modules'));
  const built = join(folder, 'built');
  await buildLikeTheWebApp(folder, built);

  const app = new Koa();
  app.use(securityHeaders());
  app.use(serveWebApp({ folder: built }));
  app.use((ctx) => {
    ctx.type = 'json';
    ctx.body = value;
  });
  const server = createServer(app.callback());
  await listen(server);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function buildLikeTheWebApp(folder: string, outDir: string): Promise<void> {
  const configFile = join(packageRoot(), 'web/vite.config.ts');
  const loaded = await loadConfigFromFile(
    { command: 'build', mode: 'production' },
    configFile,
    undefined,
    'silent',
  );
  const { config }: { readonly config: UserConfig } = loaded ?? { config: {} };
  const plugins = (config.plugins ?? []) as Plugin[];
  await build({
    ...config,
    configFile: false,
    logLevel: 'warn',
    root: folder,
    publicDir: join(packageRoot(), 'web/public'),
    build: { ...config.build, outDir },
    // The others know the web app's screens.
    plugins: plugins.filter(({ name }) => name === 'compressed'),
  });
}

async function listen(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
}
