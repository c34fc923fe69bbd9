import { porticoErrors } from 'portico/errors';

export const url = `${process.env.PORTICO_URL ?? ''}/graphql`;
export const handle = process.env.PORTICO_HANDLE ?? '';

/** Loads a page with the session and without one, and prints both results. */
export async function report(page: (headers: Record<string, string>) => Promise<string[]>): Promise<void> {
  const names = await page({ authorization: `Bearer ${handle}` });
  try {
    await page({});
    throw new Error('There was an answer without a session.');
  } catch (thrown) {
    const [error] = porticoErrors(thrown);
    if (error === undefined) throw thrown;
    const { code, reason, requestId } = error.extensions;
    console.log(JSON.stringify({ names, code, reason, hasRequestId: requestId.length > 0 }));
  }
}
