import { createHash } from 'node:crypto';

/** One profile of a file of credential profiles: user name and password from one secret of AWS Secrets Manager. */
export interface ProfileText {
  readonly name: string;
  readonly key: string;
  /** The secret's id; default `portico`. */
  readonly secretId?: string;
  readonly ttlSeconds?: number;
}

/** The text of a file of credential profiles. */
export function profileYaml(...profiles: ProfileText[]): string {
  const texts = profiles.map(({ name, key, secretId = 'portico', ttlSeconds }) => {
    const field = (part: string): string =>
      `    ${part}: { store: secrets_manager, secretId: ${secretId}, key: ${part} }`;
    const ttl = ttlSeconds === undefined ? [] : [`    ttlSeconds: ${ttlSeconds}`];
    const sha256 = createHash('sha256').update(key).digest('hex');
    return [
      `  ${name}:`,
      field('username'),
      field('password'),
      ...ttl,
      `    profileKeySha256: ${sha256}`,
    ].join('\n');
  });
  return `profiles:\n${texts.join('\n')}\n`;
}
