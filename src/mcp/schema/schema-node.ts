/** A schema of our own making, copied from one that came from outside: every keyword in it has a value it can have. */
export interface SchemaNode {
  /** The name of a target, not a pointer. */
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly SubSchema[];
  readonly anyOf?: readonly SubSchema[];
  readonly oneOf?: readonly SubSchema[];
  readonly not?: SubSchema;
  readonly if?: SubSchema;
  readonly then?: SubSchema;
  readonly else?: SubSchema;

  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;

  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;

  readonly prefixItems?: readonly SubSchema[];
  readonly items?: SubSchema | readonly SubSchema[];
  readonly additionalItems?: SubSchema;
  readonly unevaluatedItems?: SubSchema;
  readonly contains?: SubSchema;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;

  readonly properties?: Readonly<Record<string, SubSchema>>;
  readonly patternProperties?: Readonly<Record<string, SubSchema>>;
  readonly additionalProperties?: SubSchema;
  readonly unevaluatedProperties?: SubSchema;
  readonly propertyNames?: SubSchema;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly dependentSchemas?: Readonly<Record<string, SubSchema>>;
  readonly dependencies?: Readonly<Record<string, SubSchema | readonly string[]>>;
}

export type SubSchema = SchemaNode | boolean;

/** What the references of a copy name. */
export type Targets = Readonly<Record<string, SubSchema>>;
