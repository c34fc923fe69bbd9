import { type Settings } from '../../config/settings.js';
import { demandControl } from './demand-control.js';
import { prefixedRoots } from './field-prefix.js';
import { givenDirectives } from './given-directives.js';
import { nullableEntities } from './nullable-entities.js';
import { rootDescriptions } from './root-descriptions.js';
import { type SdlEdit } from './subgraph-sdl.js';

/** How the SDL that routers read differs from what Nest makes of the classes. Later edits see the names that earlier ones made. */
export function subgraphEdits(settings: Settings): SdlEdit[] {
  return [
    rootDescriptions,
    nullableEntities,
    prefixedRoots(settings.FIELD_PREFIX),
    demandControl(settings.SUBGRAPH_LIST_SIZE),
    givenDirectives(settings),
  ];
}
