import { stemmer } from "stemmer";

/** The words of a text or an identifier as they are compared: `listPullRequests` gives list, pull, requests. */
export function splitWords(text: string): string[] {
  return (
    text
      .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
      .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
      .normalize("NFKD")
      .replaceAll(/\p{M}/gu, "")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** The form in which a word is indexed. */
export function stemWord(word: string): string {
  return stemmer(word);
}

export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}

/** Words that say nothing about what a tool does, in the languages that the concepts know. */
const stopWords: ReadonlySet<string> = new Set(
  splitWords(`
    a an the of to in on at for with from by into onto over about as is are was were be been being am do does did done
    doing have has had having will would shall should can could may might must i me my mine we us our ours you your he
    him his she her it its they them their this that these those there here what which who whom whose when where why how
    and or but if then else so than too very just not no nor only own same such all any both each few more most other
    some please want wants need needs let lets like using use used via per up out off down again once while during
    before after until since now get gets got give gives someone somebody anyone anybody everybody something
    anything thing things one ones way never ever know too enough really still already don doesn isn can cannot im its s t d ll re ve m also within without between through tool tools
    der die das den dem des ein eine einen einem einer eines und oder aber ich mir mich mein meine meinen wir uns unser
    du sie er es ihr im in an am auf aus bei mit nach von vom zu zum zur fur uber ist sind war hat haben wird werden
    nicht auch noch bitte alle alles neue neuen neuer neues wie was wer wo wann warum
    le la les l un une des du de d et ou mais je moi mon ma mes nous notre tu vous votre il elle ils elles en dans sur
    sous avec pour par est sont a au aux ce cette ces qui que quoi comment pourquoi quand tout tous toute
    el los las lo un una unos unas y o pero yo mi mis nosotros nuestro tu su sus es son en con por para del al este esta
    esto que como cuando donde todo todos
    il gli i uno e ma io mio noi nostro di da con su per tra fra che come quando dove tutti
    os as um uma e ou mas eu meu nos nosso em no na com por para do da que como quando onde
  `),
);
