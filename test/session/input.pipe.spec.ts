import 'reflect-metadata';
import { IsString } from 'class-validator';
import { describe, expect, it } from 'vitest';
import { INPUT_PIPE } from '../../src/session/input.pipe.js';

class Named {
  @IsString()
  name!: string;
}

class WithoutRules {
  name?: string;
}

describe('the input of a resolver', () => {
  const checked = (value: unknown, metatype: new () => object = Named): Promise<unknown> =>
    INPUT_PIPE.transform(value, { type: 'body', metatype });

  it('is passed on as one of its class if it keeps the rules of that', async () => {
    const input = await checked({ name: 'alice' });
    expect(input).toBeInstanceOf(Named);
    expect(input).toEqual({ name: 'alice' });
  });

  it.each([
    ['breaks a rule', { name: 1 }, Named, 'name must be a string'],
    ['has more than its class', { name: 'alice', admin: true }, Named, 'property admin should not exist'],
    ['has a class without rules', {}, WithoutRules, 'an unknown value'],
  ])('is refused if it %s', async (_what, value, metatype, said) => {
    await expect(checked(value, metatype)).rejects.toMatchObject({
      name: 'InvalidRequestError',
      message: expect.stringContaining(said) as string,
    });
  });
});
