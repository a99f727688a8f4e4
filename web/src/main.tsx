/** Starts the web app. */
import './design/styles.ts';
import { createRoot } from 'react-dom/client';
import { App } from './shell/app.tsx';
import { reloadForNewBuild } from './shell/new-build.ts';

reloadForNewBuild();
const root = document.getElementById('app');
if (root) createRoot(root).render(<App />);
