import { accessSync, constants, statSync } from 'node:fs';
import { IsOptional } from 'class-validator';
import { Rule } from './checks.js';

/** The path of a readable file, or not set. */
export function ReadableFile(): PropertyDecorator {
  return optional('must be the path of a readable file', isReadableFile);
}

/** The path of a readable folder, or not set. */
export function ReadableFolder(): PropertyDecorator {
  return optional('must be the path of a readable folder', isReadableFolder);
}

export function isReadableFile(path: unknown): boolean {
  return isReadable(path, constants.R_OK, (stats) => stats.isFile());
}

export function isReadableFolder(path: unknown): boolean {
  return isReadable(path, constants.R_OK | constants.X_OK, (stats) => stats.isDirectory());
}

type Stats = ReturnType<typeof statSync>;

function isReadable(path: unknown, mode: number, isKind: (stats: NonNullable<Stats>) => boolean): boolean {
  if (typeof path !== 'string') return false;
  try {
    accessSync(path, mode);
    return isKind(statSync(path));
  } catch {
    return false;
  }
}

function optional(message: string, holds: (value: unknown) => boolean): PropertyDecorator {
  return (target, property) => {
    IsOptional()(target, property);
    Rule(message, holds)(target, property);
  };
}
