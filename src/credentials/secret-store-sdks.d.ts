/**
 * The SDKs of the secret stores are optional, and a build does without them. `npm run check:types` leaves this file out
 * and checks what is asked of them against their own types.
 */
declare module '@aws-sdk/client-secrets-manager';
declare module '@aws-sdk/client-ssm';
declare module '@azure/identity';
declare module '@azure/keyvault-secrets';
declare module '@google-cloud/secret-manager';
