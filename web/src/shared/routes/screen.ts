/** How a route loads its screen. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { loadChunk } from '../browser/new-build.ts';

/**
 * A screen loads its code when it is opened: `screen(() => import('./agents.tsx'), 'Agents')`, the name being that of
 * its component.
 */
export const screen = <Module extends Record<string, unknown>, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) => lazyRouteComponent<Module, Name>(() => loadChunk(load()), name);

type Below<Parent extends string, Path extends string> = Path extends `${Parent}${infer Rest}`
  ? Rest
  : never;

/** What a route adds to the path of the one around it. */
export const below = <Parent extends string, Path extends string>(parent: Parent, path: Path) =>
  path.slice(parent.length) as Below<Parent, Path>;
