/** Checks deploy/prometheus with promtool, of Prometheus, where it is installed. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const cwd = fileURLToPath(new URL('../deploy/prometheus/', import.meta.url));
const CHECKS = [
  ['check', 'config', 'prometheus.yaml'],
  ['check', 'rules', 'alerts.yaml'],
  ['test', 'rules', 'alerts.test.yaml'],
];

for (const args of CHECKS) {
  const { error, status, stdout, stderr } = spawnSync('promtool', args, { cwd, encoding: 'utf8' });
  if (error?.code === 'ENOENT') {
    console.log(
      'The Prometheus alerts were NOT checked: promtool is not installed (Debian: apt-get install prometheus)',
    );
    break;
  }
  if (status !== 0) {
    console.error(stdout, stderr);
    process.exitCode = 1;
  }
}
