/** Headers whose meaning is fixed by HTTP, browsers, proxies, tracers, GraphQL clients or the service itself. */
const TAKEN =
  /^(?:accept(?:-.+)?|access-control-.+|age|apollo.*|baggage|cache-control|connection|content-.+|cookie2?|date|dnt|expect|forwarded|from|graphql-.+|host|if-.+|keep-alive|link|max-forwards|origin|pragma|prefer|priority|proxy-.+|range|referer|sec-.+|set-cookie2?|te|trace(?:parent|state)|trailer|transfer-encoding|upgrade(?:-.+)?|user-agent|via|warning|x-apollo-.+|x-federation-secret|x-forwarded-.+|x-graphql-.+|x-real-ip|x-request-id)$/i;

/** Whether a request header is used for something else, so that a handle in it would break that, or be lost or logged. */
export function hasOtherMeaning(header: string): boolean {
  return TAKEN.test(header);
}
