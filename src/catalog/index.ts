export type { Advice, CallVerdict, Choice } from "./advice.ts";
export { openAudit } from "./audit/audit.ts";
export type { Audit, AuditOptions } from "./audit/audit.ts";
export type { AuditEntry, AuditLine } from "./audit/audit-line.ts";
export { readAudit } from "./audit/read-audit.ts";
export type { ReadAuditOptions } from "./audit/read-audit.ts";
export type { CallContext } from "./call-context.ts";
export type { Caller, DoorKind } from "./caller.ts";
export { createCatalog } from "./catalog.ts";
export type { Catalog, CatalogOptions } from "./catalog.ts";
export { openApprovals } from "./guard/approvals.ts";
export type { Approvals, ApprovalsOptions } from "./guard/approvals.ts";
export type { Approval, ApprovalsFile, WaitingCall } from "./guard/approvals-file.ts";
export { createAskers } from "./guard/askers.ts";
export type { ApprovalQuestion, Asker, Askers } from "./guard/askers.ts";
export { createGuard } from "./guard/guard.ts";
export type { Guard, GuardOptions } from "./guard/guard.ts";
export { judgeCall } from "./guard/judge-call.ts";
export type { CallFacts, Judgement } from "./guard/judge-call.ts";
export { openPins } from "./guard/pins.ts";
export type { CatalogItem, Pins, PinsOptions } from "./guard/pins.ts";
export type { HeldDefinition } from "./guard/held-definition.ts";
export type { ScreenReport } from "./guard/screen-source.ts";
export { narrowNames } from "./names.ts";
export type { NarrowNames } from "./names.ts";
export type {
  AdvisingSource,
  CatalogPrompt,
  CatalogTool,
  CompletionSource,
  PromptSource,
  ResourceSource,
  Source,
  ToolSource,
  Unsubscribe,
} from "./source.ts";
export type { CatalogChange, FoundCompletion, View, ViewFilter, ViewOptions } from "./view.ts";
