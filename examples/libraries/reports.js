/** The code to be tested: the names of the reports of a project. */
export async function reportNames(session, projectId) {
  const response = await session.request('GET', 'reports', { projectId, query: { limit: 100 } });
  return response.json().map(({ name }) => name);
}

/** A report as a PDF, by the standard fetch of the session. */
export async function reportAsPdf(session, reportId) {
  const response = await session.fetch(`reports/${reportId}/pdf`);
  if (!response.ok) throw new Error(`The report was not exported: HTTP ${response.status}.`);
  return new Uint8Array(await response.arrayBuffer());
}
