import { stemmer } from "stemmer";

/** The words of a text or an identifier as they are compared: `listPullRequests` gives list, pull, requests. */
export function splitWords(text: string): string[] {
  return (
    text
      .replaceAll(/\bto-do/gi, "todo")
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

/** Words that go with everything, so that they say little about what is asked for. */
export function isLightWord(word: string): boolean {
  return lightWords.has(word);
}

const lightWords: ReadonlySet<string> = new Set(
  splitWords(`
    make makes made put puts set take takes took turn turns keep keeps let go goes went come comes try tries tell tells
    show look see find say says said have new old own current right back next last first today day time everyone my our
    your this some many much lot good bad best better big small little whole certain different available online here
    there where who why what which when how down ready sure really quickly right work works working start check
    machen mache zeigen zeige faire fais hacer haz fare fazer
  `),
);

/** Everyday words that are spelled as they are meant, though no tool knows them. */
export function isOrdinaryWord(word: string): boolean {
  return ordinaryWords.has(word);
}

const ordinaryWords: ReadonlySet<string> = new Set(
  splitWords(`
    lunch dinner breakfast food eat eating drink drinks water plant plants garden tree flower animal dog cat bird panda
    house home room kitchen door window wall floor roof street city town village country world beach sea mountain river
    mother father mum dad parents sister brother son daughter child children kid kids baby wife husband friend friends
    neighbour neighbor boss chef man woman men women boy girl family peter maria anna john bob alice
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
    october november december morning noon afternoon evening night yesterday tomorrow week weekend month year hour minute
    minutes second twenty thirty forty fifty hundred thousand half dozen twice
    car bike bus train plane flight airport station ship boat taxi road traffic
    happy sad angry tired hungry thirsty sick ill healthy allergic nuts tea beer wine bread cake
    money cash bank rich poor cheap cheaper expensive buy sell bought sold rent loan
    red green blue yellow black white brown orange purple pink grey gray dark bright
    hot cold warm cool wet dry rain snow sun sunny wind weather storm
    school university teacher student lesson exam homework class
    music song band film movie game sport football tennis team player
    book story letter word paper pen pencil desk chair table bed lamp phone camera photo picture
    sleep wake walk run sit stand jump swim climb fly drive ride fall broke broken break
    love hate hope fear wish dream think believe feel feels felt guess wonder
    live lives lived die dead born grow young
    thing stuff piece part side end top bottom middle inside outside front behind near far
    wrong true false easy hard difficult simple strange weird funny serious important urgent
    slide presentation speech talk lecture conference party wedding birthday holiday vacation trip
    landlord lawyer doctor dentist nurse police judge farmer
    bought happened somewhere anywhere everything nothing nobody none
    science coffee contract signed survey criteria figure terms protocol sideways sluggish
  `),
);
