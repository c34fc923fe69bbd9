/** Gives a credential at the moment it is needed (spec, "Credential providers"). */
export type CredentialProvider = () => string | Promise<string>;
