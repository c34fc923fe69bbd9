import { SettingsError } from '../../config/parse-settings.js';
import { type SdlEdit } from './subgraph-sdl.js';
import { withDirectives } from './with-directives.js';

/** What the settings add to the SDL that routers read. */
export interface GivenDirectives {
  /** Each as `Type=tag` or `Type.field=tag`. */
  readonly SUBGRAPH_TAGS: readonly string[];
  /** Each as `Type` or `Type.field`. */
  readonly SUBGRAPH_INACCESSIBLE: readonly string[];
}

interface Given {
  readonly setting: keyof GivenDirectives;
  readonly path: string;
  readonly directive: string;
}

/**
 * Gives `@tag` and `@inaccessible` to the types and fields that the settings name, as they are named for routers.
 *
 * @throws SettingsError when it is applied, with every name that the SDL does not have.
 */
export function givenDirectives(settings: GivenDirectives): SdlEdit {
  const given = [...settings.SUBGRAPH_TAGS.map(tag), ...settings.SUBGRAPH_INACCESSIBLE.map(inaccessible)];
  if (given.length === 0) return (sdl) => sdl;
  return (sdl) => {
    const unused = new Set(given);
    const edited = withDirectives(sdl, ({ path }) => {
      const here = given.filter((each) => each.path === path);
      for (const each of here) unused.delete(each);
      return here.map(({ directive }) => directive);
    });
    if (unused.size === 0) return edited;
    throw new SettingsError(
      [...unused].map(({ setting, path }) => `${setting} names ${path}, which the subgraph does not have`),
    );
  };
}

function tag(entry: string): Given {
  const [path = '', name = ''] = entry.split('=');
  return { setting: 'SUBGRAPH_TAGS', path, directive: `@tag(name: "${name}")` };
}

function inaccessible(path: string): Given {
  return { setting: 'SUBGRAPH_INACCESSIBLE', path, directive: '@inaccessible' };
}
