import { refresh } from './session.js';
import { showExplorer } from './explorer.js';
import { showLogin } from './login.js';
import { showProjects } from './projects-panel.js';
import { showSession } from './session-panel.js';

showSession();
showLogin();
showProjects();
void refresh();
showExplorer();
