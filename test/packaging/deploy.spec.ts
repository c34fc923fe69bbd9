import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { settingDescriptions } from '../../src/config/setting.js';
import '../../src/config/settings.js';

const at = (path: string): string => fileURLToPath(new URL(`../../deploy/${path}`, import.meta.url));
const MANIFEST = readFileSync(at('kubernetes/portico.yaml'), 'utf8');
const KINDS = {
  Deployment: 'apps/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  NetworkPolicy: 'networking.k8s.io/v1',
  PodDisruptionBudget: 'policy/v1',
  Service: 'v1',
};

interface Named {
  readonly kind: keyof typeof KINDS;
}

async function validate(kind: keyof typeof KINDS, object: object): Promise<void> {
  const models = (await import(`kubernetes-models/${KINDS[kind]}/${kind}`)) as Record<
    string,
    new (data: unknown) => { validate(): void }
  >;
  const Kind = models[kind];
  if (Kind === undefined) throw new Error(`there is no schema of ${kind}`);
  new Kind(object).validate();
}

describe('what is shipped for Kubernetes', () => {
  const objects = parseAllDocuments(MANIFEST, { version: '1.1' }).map((each) => each.toJS() as Named);

  it('has every object once', () => {
    expect(objects.map(({ kind }) => kind).sort()).toEqual(Object.keys(KINDS).sort());
  });

  it.each(objects.map((each) => [each.kind, each] as const))('is valid: %s', async (kind, object) => {
    await validate(kind, object);
  });

  it('would not be valid with a wrong value', async () => {
    const deployment = objects.find(({ kind }) => kind === 'Deployment') as unknown as { spec: object };
    const wrong = { ...deployment, spec: { ...deployment.spec, replicas: 'two' } };
    await expect(validate('Deployment', wrong)).rejects.toThrow();
  });

  it('names settings that there are, secrets by file', () => {
    const values = parse(readFileSync(at('helm/portico/values.yaml'), 'utf8')) as {
      settings: Record<string, string>;
      secret: { settings: string[] };
    };
    const known = settingDescriptions().map(({ name }) => name);
    expect(known).toEqual(
      expect.arrayContaining([...Object.keys(values.settings), ...values.secret.settings]),
    );
  });

  const helm = spawnSync('helm', ['version']).status === 0;
  (helm ? it : it.skip)(
    `is what the chart makes of its values${helm ? '' : ' (helm is not installed)'}`,
    () => {
      const made = spawnSync('helm', ['template', 'portico', at('helm/portico')]);
      expect(MANIFEST.slice(MANIFEST.indexOf('---'))).toBe(made.stdout.toString());
    },
  );
});
