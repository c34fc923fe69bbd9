import { readFileSync } from 'node:fs';
import { cpus, platform } from 'node:os';
import { pinningMissing } from './cores.ts';

/** The machine in a few words, for those who compare. */
export function machine(): string {
  const pinning = pinningMissing === undefined ? '' : `, not pinned to cores: ${pinningMissing}`;
  return `${cpus().length} shared cores, ${system()}, Node ${process.versions.node}${pinning}`;
}

function system(): string {
  try {
    const text = readFileSync('/etc/os-release', 'utf8');
    const field = (name: string): string => new RegExp(`^${name}="?([^"\\n]*)`, 'm').exec(text)?.[1] ?? '';
    return `${field('NAME').split(' ')[0] ?? ''} ${field('VERSION_ID')}`.trim();
  } catch {
    return platform();
  }
}
