/**
 * A process of its own that asks every provider of the built package for a credential and prints what came of
 * it, a found secret as its SHA-256. Arguments: the address of the built entry, the parameters of each provider,
 * and, if one is to be missing, the package that cannot be resolved.
 */
import { createHash } from 'node:crypto';
import { registerHooks } from 'node:module';

type Provider = () => Promise<string>;
type Credentials = Record<string, (parameters: unknown) => Provider>;

export interface Outcome {
  readonly sha256?: string;
  readonly reason?: string;
  readonly message?: string;
}

const [, , entry = '', parametersText = '{}', missing] = process.argv;

registerHooks({
  resolve: (specifier, context, next) => {
    if (missing !== undefined && (specifier === missing || specifier.startsWith(`${missing}/`))) {
      throw Object.assign(new Error(`Cannot find package '${missing}'`), { code: 'ERR_MODULE_NOT_FOUND' });
    }
    return next(specifier, context);
  },
});

const credentials = (await import(entry)) as Credentials;
const parameters = JSON.parse(parametersText) as Record<string, object>;
const outcomes: Record<string, Outcome> = {};
for (const [name, given] of Object.entries(parameters)) {
  const provider = credentials[name]?.(given);
  outcomes[name] = await Promise.resolve(provider?.()).then(
    (value) => ({ sha256: createHash('sha256').update(String(value)).digest('hex') }),
    (error: unknown) => error as Outcome & Error,
  );
  const { sha256, reason, message } = outcomes[name];
  outcomes[name] = { sha256, reason, message };
}
process.stdout.write(`\n${JSON.stringify(outcomes)}\n`);
