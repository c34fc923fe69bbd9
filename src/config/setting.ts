/** What the documentation and `.env.example` say about one setting. */
export interface SettingDescription {
  readonly name: string;
  readonly meaning: string;
  /** Shown in `.env.example` when there is no default. */
  readonly example: string | undefined;
}

const descriptions: SettingDescription[] = [];
const secrets = new Set<string>();

/** Describes a setting where it is declared. */
export function Setting(meaning: string, example?: string): PropertyDecorator {
  return (_target, property) => {
    descriptions.push({ name: String(property), meaning, example });
  };
}

/** Marks a setting that is, or may contain, a secret. It is removed from `process.env` once it has been read. */
export function Secret(): PropertyDecorator {
  return (_target, property) => {
    secrets.add(String(property));
  };
}

/** All settings, topic by topic, in the order in which they are declared. */
export function settingDescriptions(): readonly SettingDescription[] {
  return descriptions;
}

/** The names of the settings that are marked as {@link Secret}. */
export function secretSettings(): ReadonlySet<string> {
  return secrets;
}
