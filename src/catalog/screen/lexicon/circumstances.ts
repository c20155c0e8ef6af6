/** When, with which tools, whether asked: what makes of a wish an instruction to a model. Written as the other words are. */
export const circumstances = {
  when: `before|prior to|first|after|afterwards|whenever|when|every time|each time|once|as soon as|upon|while|in addition|additionally|also|then|next|subsequently|beforehand|at the start|as a first step|for every|on each|on every|with every|if
    |bevor|vor|zuerst|zunachst|nachdem|danach|immer wenn|jedes mal|sobald|wenn|zusatzlich|ausserdem|anschliessend|bei jedem|bei jeder|vorher|vor jedem|vor jeder
    |avant|d'abord|apres|chaque fois|lorsque|quand|des que|en plus|egalement|ensuite|puis|a chaque|prealablement
    |antes|primero|despues|cada vez|cuando|siempre que|ademas|tambien|luego|previamente|una vez|en cada
    |prima|dopo|ogni volta|quando|inoltre|anche|poi|appena|a ogni|ad ogni|preventivamente
    |antes|primeiro|depois|sempre que|toda vez|quando|alem disso|tambem|a cada|em seguida
    |voordat|voor elke|eerst|nadat|daarna|telkens|wanneer|zodra|bovendien|ook|vooraf|bij elke|bij elk
    |przed|najpierw|po kazdym|zanim|kazdorazowo|gdy|kiedy|dodatkowo|rowniez|nastepnie|przy kazdym|za kazdym razem|po
    |перед|прежде|сначала|после|каждый раз|когда|всякий раз|также|затем|кроме того|при каждом|до того
    |once|oncesinde|sonra|her seferinde|ne zaman|ayrica|her|kullanmadan|cagirmadan
    |之前|前|首先|先|之后|之後|每次|每当|当|同时|另外|此外|然后|一旦|并且
    |前に|まず|最初に|後に|その後|たびに|とき|際|際に|毎回|また|さらに|次に
    |전에|먼저|우선|후에|다음|때마다|매번|또한|추가로|그런|이후|할 때
    |قبل|اولا|بعد|كلما|عندما|عند|ايضا|ثم|بالاضافة
    |पहले|सबसे पहले|बाद|जब|हर बार|जब भी|साथ ही|फिर|अतिरिक्त`,
  tool: `tool|tools|function|functions|function call*|tool call*|api call*|plugin|plugins|mcp|
    |werkzeug*|tools|funktion*|werkzeugaufruf*|toolaufruf*|befehl
    |outil*|fonction*|l'outil|commande
    |herramienta*|funcion*|comando
    |strument*|funzion*|comando
    |ferramenta*|func*
    |gereedschap*|functie*|tool-aanroep*
    |narzedzi*|funkcj*
    |инструмент*|функци*|тул|тулз*
    |arac*|araç*|fonksiyon*|islev*
    |工具|函数|函數|插件|接口
    |ツール|関数|機能|プラグイン
    |도구*|툴*|함수*|플러그인*
    |اداة|الاداة|ادوات|الادوات|وظيفة|دالة
    |टूल*|उपकरण*|फ़ंक्शन*|फंक्शन*`,
  thistool: `this tool|this function|this server|this parameter|this field|this argument|this one|calling it|using it|it first|the call
    |dieses tool|dieses werkzeug|diesem tool|diesem werkzeug|diese funktion|dieser funktion|dieses feld|diesen parameter
    |cet outil|cette fonction|ce parametre|ce champ|esta herramienta|esta funcion|este parametro|este campo|questo strumento|questa funzione|questo parametro|questo campo
    |esta ferramenta|esta funcao|este campo|deze tool|dit gereedschap|deze functie|dit veld|tego narzedzia|to narzedzie|tej funkcji|tym narzedziem
    |этот инструмент|этого инструмента|этим инструментом|эту функцию|этой функции|bu arac*|bu fonksiyon*|bu alan*|bu parametre*
    |本工具|此工具|该工具|这个工具|此参数|该参数|此字段|本函数|此函数|このツール|本ツール|この関数|このパラメータ|このフィールド
    |이 도구*|이 함수*|이 툴*|이 매개변수*|이 필드*|هذه الاداة|هذا الحقل|इस टूल|यह टूल|इस उपकरण`,
  other: `built-in search|built-in file*|built-in tools|built-in shell|built-in browser|mail tool|calendar tool|file tool|any file tool|payment tools|browser tool|search tools|eingebaute*|integre*|integrad*|内置|内蔵|他の検索|any database|another service|other services|other tool*|other tools|any other tool*|any tool|all tools|all other tools|another tool|other server*|another server*|other function*|alternative tool*|similar tool*|competing|remaining tools|any function|other mcp|other plugin*|built-in tool*|native tool*|other search|different tool*|tools from other|other integrations|other assistants|tools of other|any other function*|any other mcp|any other server*
    |andere tools|anderen tools|anderes tool|anderen werkzeuge*|andere werkzeuge*|jedes tool|jedem tool|allen tools|alle tools|jedes andere|anderer server|anderen server*|jedem anderen|jedem werkzeug*|andere funktionen
    |autre outil|autres outils|tout outil|tout autre|tous les outils|autres serveurs|chaque outil|n'importe quel outil
    |otra herramienta|otras herramientas|cualquier herramienta|cualquier otra|todas las herramientas|otro servidor|otros servidores|demas herramientas|ninguna otra
    |altro strumento|altri strumenti|qualsiasi strumento|qualsiasi altro|tutti gli strumenti|altri server|ogni strumento|ogni altro
    |outra ferramenta|outras ferramentas|qualquer ferramenta|qualquer outra|todas as ferramentas
    |andere tool*|ander gereedschap|elke tool|alle tools|elke andere|andere server*|andere functie*
    |inne narzedzi*|innych narzedzi|kazdego narzedzia|wszystkich narzedzi|innego narzedzia|jakiegokolwiek narzedzia|innych serwer*|dowolnego innego|kazdym innym
    |друг* инструмент*|любого инструмента|любым инструментом|любой инструмент|всех инструментов|всеми инструментами|любого другого|других серверов|другого сервера|каждого инструмента|остальн* инструмент*
    |diger arac*|baska arac*|herhangi bir arac*|tum arac*|diger sunucu*|baska bir arac*|her arac*
    |其他工具|其它工具|任何工具|所有工具|别的工具|其他任何工具|任何其他|其他服务器|其他插件|其余工具
    |他のツール|ほかのツール|任意のツール|すべてのツール|全てのツール|別のツール|どのツール|あらゆるツール|他のサーバー|他の関数|他サーバー
    |다른 도구*|모든 도구*|어떤 도구*|다른 툴*|다른 서버*|다른 함수*|기타 도구*
    |اي اداة|الادوات الاخرى|اداة اخرى|جميع الادوات|كل الادوات|خادم اخر|ادوات اخرى
    |अन्य टूल*|किसी भी टूल|दूसरे टूल|सभी टूल*|कोई अन्य|अन्य उपकरण*|किसी अन्य`,
  instead: `instead of|rather than|in place of|replaces the|in preference to|prefer this|prefer it over|over any other|always prefer|do not use|don't use|never use|never call|do not call|avoid using|deprecated|is unsafe|is broken|is compromised|is insecure|no longer works|do not trust|only trusted|only use this|use only this|exclusively|stop using|is unreliable|obsolete
    |anstelle|anstatt|statt|nicht verwenden|nicht benutzen|verwende nur|ausschliesslich|veraltet|nicht mehr sicher|nutze nicht|verwende nicht|benutze nicht|verwende nie|bevorzuge
    |au lieu|a la place|n'utilise*|uniquement|obsolete|plutot que|prefere*
    |en lugar|en vez|no uses|no utilices|no use|exclusivamente|obsolet*|unicamente|prefier*
    |invece di|al posto|non usare|non utilizzare|esclusivamente|obsolet*|preferisci|non usate
    |em vez|no lugar de|ao inves|nao use|nao utilize|exclusivamente|obsolet*|prefira
    |in plaats van|gebruik niet|gebruik geen|uitsluitend|verouderd|gebruik alleen|gebruik nooit
    |zamiast|nie uzywaj|wylacznie|przestarzal*|tylko tego|preferuj
    |вместо|не используй*|не используйте|только этот|исключительно|устарел*|не вызывай*|предпочитай*
    |yerine|kullanma|kullanmayin|sadece bu|yalnizca|eskimis
    |代替|停用|废止|廃止|改走|而不是|不要使用|不要用|别用|请勿使用|只能使用|只使用|已弃用|取代|优先使用|不再使用|而非
    |代わりに|使わず|使用しない|使わない|使用せず|のみを使|だけを使|非推奨|優先的に
    |대신|사용하지|쓰지 말*|오직|만 사용*|더 이상
    |بدلا|لا تستخدم|حصرا|فقط هذه
    |बजाय|उपयोग न|इस्तेमाल न|प्रयोग न|की जगह|केवल इस|उपयोग मत|इस्तेमाल मत`,
  ask: `ask|asks|asking|request|requesting|requests|prompt|prompting|seek|seeking|wait for|waiting for|obtain*|require|requiring|get|getting|need|needed|bother|check with|consult*
    |frag*|zu fragen|nachfrag*|nachzufragen|ruckfrage*|bitten|bitte um|einzuhol*|einholen|verlang*|warte*|demand*|attend*|sollicit*|pregunt*|pedir*|pida*|pidas|solicit*|esper*|consult*|chied*|chiedere|richied*|aspett*|domand*
    |pergunt*|pedir*|peca|solicit*|vraag*|vragen|te vragen|pytaj*|pytac|pytania|pros|proszenia|czekaj*|спрашива*|спроси*|спроса|проси*|запрашива*|жди*|sor|sorma*|sormadan|isteme*|bekleme*|询问|问|征求|请求|等待|经过|需要|尋ね|聞か|求め|問い合わせ|仰が|확인을|묻*|물어*|요청*|구하지|تسال|سؤال|تطلب|طلب|انتظار|استئذان|पूछ*|मांग*|माँग*`,
  consent: `confirmation|confirmations|confirming|to confirm|approval|approvals|permission|permissions|consent|authorization|authorisation|authorized|authorised|approved|approve|agreed|consented|sign-off|go-ahead|human in the loop|human review|double-check
    |bestatigung*|zustimmung*|genehmigung*|erlaubnis*|einwilligung*|freigabe*|zugestimmt|eingewilligt|genehmigt|freigegeben|ruckfrage*
    |confirmation*|approbation*|permission*|autorisation*|consentement*|accord|consenti|approuve|autorise|valide
    |confirmacion*|aprobacion*|permiso*|autorizacion*|consentimiento*|aprobado|autorizado|consentido|confirmar
    |conferma|conferme|approvazion*|permess*|autorizzazion*|consens*|autorizzat*|acconsentito|approvat*
    |confirmac*|aprovac*|permiss*|autorizac*|consentimento*|aprovou|autorizou|aprovado|autorizado
    |bevestiging*|goedkeuring*|toestemming*|toegestemd|akkoord|goedgekeurd
    |potwierdzeni*|zgod*|zezwoleni*|pozwoleni*|zatwierdzeni*|zatwierdzil*
    |подтвержд*|разрешени*|согласи*|одобрени*|согласил*|разрешил*|одобрил*
    |onay*|izin*|izni*|teyit*|riza*
    |确认|確認|批准|许可|許可|同意|授权|授權|核实|审批
    |確認|承認|許可|同意|承諾|了承|認可
    |확인*|승인*|허가*|동의*|허락*
    |تاكيد*|موافقة*|اذن|الاذن|تصريح|وافق
    |पुष्टि|अनुमति|स्वीकृति|सहमति|मंजूरी`,
  disable: `turn off the audit|turn off the log*|audit log|turn off|turns off|turned off|switch off|switches off|disable|disables|disabled|disabling|suppress*|deactivat*|auto-approve*|allow-all|always allow|deaktivier*|schalte ab|abschalt*|desactiv*|disattiv*|disabilit*|desativ*|uitschakel*|wylacz*|отключи*|отключа*|выключи*|kapat*|devre disi*|关闭|禁用|停用|無効|オフに|끄*|비활성*|عطل|बंद`,
  unasked: `without asking|without being asked|without asking first|without prompting|unasked|unprompted|no questions asked|ohne zu fragen|ohne nachzufragen|ohne ruckfrage|ungefragt|unaufgefordert|sans demander|sans poser|sans confirmation|sin preguntar|sin pedir|sin confirmar|sin consultar|senza chiedere|senza chieder*|senza conferma|sem perguntar|sem pedir|zonder te vragen|zonder toestemming|bez pytania|bez zgody|без спроса|не спрашивая|без подтвержд*|без разрешени*|sormadan|izinsiz|不询问|不经询问|无需询问|不必询问|未经同意|未经许可|未经允许|擅自|勝手に|確認なし|許可なく|断りなく|무단*|묻지 않고|물어보지*|허락 없이|دون سؤال|دون استئذان|دون اذن|बिना पूछे|बिना अनुमति`,
  conflict: `contradict*|conflict|conflicts|conflicting|disagree*|objects|objection|objections|insists|insist|refuses|refuse|protests|says otherwise|asks otherwise|differs|widersprich*|widerspricht|ablehnt|contredi*|s'oppose|refuse|contradi*|se opone|se niega|contraddi*|si oppone|tegenspre*|weigert|sprzeciw*|протестует|возража*|противореч*|itiraz*|反对|冲突|拒绝|矛盾|反対|拒否|矛盾|반대*|거부*|يعترض|يرفض|आपत्ति|विरोध`,
  obey: `follow|follows|comply|complies|obey*|adhere*|carry out|carried out|carry on|proceed*|continue anyway|finish the job|execute as written|heed|abide|prevail*|wins|win|count more|befolg*|folge|gehorch*|mach weiter|suis|suivez|obei*|respecte*|sigue|siga|obede*|cumpl*|segui|obbedi*|esegui|siga|volg|gehoorzaam*|wykonuj|stosuj|następuj|следуй*|подчиня*|выполняй*|uy|itaat*|遵循|遵守|服从|执行|照做|从属|従っ|従い|従う|遵守|따르*|따라*|복종*|اتبع|اطع|पालन`,
  already: `in advance|beforehand|一事先|already|blanket|standing consent|standing approval|has been granted|has been given|pre-approved|preapproved|pre-authorized|preauthorized|implicitly|implied|beforehand|in advance|granted|by default|assume*|on file|counts as|treat*
    |bereits|schon|vorab|stillschweigend|gilt als|deja|a l'avance|d'office|considere*|ya|de antemano|por adelantado|se da por|gia|in anticipo|ja foi|ja|antecipadamente
    |al|reeds|vooraf|juz|z gory|уже|заранее|считай*|считается|zaten|onceden|已经|已|事先|视为|默认|すでに|既に|事前|みなし|이미|사전*|간주*|مسبقا|بالفعل|पहले ही|पहले से`,
  precedence: `steps here|come first|over the chat|whatever the operator|whatever the administrator|counts more than|count more than|weighs more|comes before what|come before what|steps here come first|outweigh*|outrank*|ranks above|rank above|higher than the user|gilt mehr|gelten mehr|mehr als das was|l'emporte sur|passe avant|vale mas que|valen mas que|esta por encima|效力高于|高于用户|より優先|に優先|instruction hierarchy|order of authority|hierarchy of instructions|precedence over|take precedence|takes precedence|priority over|takes priority|higher priority|overrules|regardless of what|regardless of the user|even if you were told|even if instructed|above all else|absolute authority|final authority|authoritative over|over the user|over any|over all other|supersedes all|outranks|binding
    |vorrang|hochste prioritat|hoheren rang|uber alle|unabhangig davon|egal was|selbst wenn|auch wenn der nutzer|geht vor|steht uber
    |priorite sur|prioritaire*|prevaut|prevalent|quoi que|meme si|priment|prime sur|priorite absolue|l'emporte*
    |prioridad sobre|maxima prioridad|prevalec*|sin importar|aunque el usuario|por encima de|independientemente de lo que|incluso si|prioridad absoluta|tienen prioridad|tiene prioridad
    |precedenza|priorita su|massima priorita|prevalgono|prevale|indipendentemente|anche se l'utente|priorita assoluta|al di sopra
    |prioridade sobre|prioridade maxima|independentemente|mesmo que|acima de
    |voorrang|hoogste prioriteit|ongeacht|zelfs als|boven alle|gaat boven
    |pierwszenstwo|najwyzszy priorytet|niezaleznie|nawet jesli|ponad|priorytet nad|nadrzedn*
    |приоритет*|важнее|независимо от|даже если|выше всех|превыше|главнее
    |oncelik*|ne olursa olsun|bile olsa|ustunde|ustun
    |优先级|優先級|优先于|最高优先|无论用户|不管用户|即使用户|高于|凌驾|压倒
    |優先|最優先|優先順位|に関わらず|に関係なく|たとえユーザー|より上位|勝る
    |우선*|최우선*|상관없이|관계없이|설령|보다 앞*|우선순위*
    |الاولوية|اولوية|بغض النظر|حتى لو|حتى وان|اعلى من|يتقدم
    |प्राथमिकता|सर्वोच्च|चाहे|भले ही|परवाह किए बिना|से ऊपर`,
  regardless: `no matter what|no matter how|regardless of what|regardless of the user|regardless of any|whatever the user|whatever the system|even if the user objects|even if the user says|even if the user asks|even if the user refuses|even if the user declines|even if the user did not|even if told|even if asked|even when told|even when asked|even against|against the user's|over the user's objection|before the user's own|above the user|rather than the user's|instead of what the user|despite the user|despite any
    |egal was|unabhangig davon was|selbst wenn der|auch wenn der|auch gegen|quoi que|meme si l'utilisateur|peu importe|diga lo que diga|aunque el usuario|sin importar lo que|pase lo que pase|qualunque cosa|anche se l'utente|a prescindere|mesmo que o|nao importa|wat de gebruiker ook|zelfs als|niezaleznie od tego|nawet jesli|что бы ни|даже если|независимо от того|ne derse desin|ne olursa olsun|无论用户|不管用户|即使用户|不论用户|何を言っても|たとえ|に関わらず|に関係なく|뭐라고 하든|설령|상관없이|관계없이|مهما|حتى لو|चाहे|भले ही`,
  persona: `you are now|you are no longer|sudo mode|root mode|from now on|new instructions|new directive*|new system prompt|new role|act as|pretend*|roleplay|role-play|jailbreak|developer mode|dan mode|unrestricted|god mode|admin mode|maintenance mode|debug mode|simulate being|without restrictions|uncensored|system override|end of instructions|updated instructions|begin new|new task
    |du bist jetzt|du bist nun|ab sofort|ab jetzt|von nun an|neue anweisung*|tu so als|entwicklermodus|neue aufgabe|wartungsmodus
    |tu es maintenant|vous etes maintenant|tu es desormais|vous etes desormais|desormais|a partir de maintenant|nouvelle* instruction*|fais comme si|mode developpeur|nouvelle* consigne*
    |ahora eres|a partir de ahora|de ahora en adelante|nuevas instrucciones|nueva instruccion|finge|actua como|modo desarrollador|desde ahora
    |ora sei|adesso sei|d'ora in poi|da ora in poi|da questo momento|nuove istruzioni|nuova istruzione|fingi|agisci come|modalita sviluppatore
    |agora voce e|a partir de agora|de agora em diante|novas instrucoes|finja|aja como|modo desenvolvedor
    |je bent nu|vanaf nu|nieuwe instructie*|doe alsof|ontwikkelaarsmodus
    |jestes teraz|od teraz|nowe instrukcje|nowa instrukcja|udawaj|tryb dewelopera|tryb deweloperski
    |теперь ты|ты теперь|отныне|с этого момента|новые инструкции|новая инструкция|притворись|режим разработчика|с этой минуты
    |artik sen|simdi sen|bundan sonra|bundan boyle|yeni talimat*|gibi davran|gelistirici modu
    |你现在是|从现在起|从现在开始|新的指令|新指令|假装|扮演|开发者模式|今后|自此|新指示
    |今から|これから|これより|今後は|新しい指示|新たな指示|ふりをして|開発者モード|あなたは今
    |이제부터*|지금부터*|새로운 지시*|새 지시*|새로운 지침*|척하*|개발자 모드*|앞으로는
    |من الان فصاعدا|انت الان|منذ الان|تعليمات جديدة|تظاهر|وضع المطور
    |अब से|अब आप|नए निर्देश|नया निर्देश|नाटक|डेवलपर मोड`,
  failure: `exceeded|missing|not verified|could not verify|access expired|needs elevated|damaged|corrupt|spam check|limit reached|caducad*|limite alcanzado|error|failed|failure|denied|rejected|expired|invalid|unauthorized|forbidden|blocked|locked|suspended|timed out|could not|cannot continue|unable to|insufficient|required to continue|to continue|to proceed|to resolve|to fix|to unlock|to restore|verification required|re-authenticate|reauthenticate|session has expired|quota
    |fehler|fehlgeschlagen|verweigert|abgelaufen|gesperrt|ungultig|um fortzufahren|nicht moglich|zum fortfahren
    |erreur|echec|echoue|refuse|expire*|bloque|invalide|pour continuer|impossible
    |error|fallo|fallido|denegado|caducad*|expirad*|bloquead*|invalid*|para continuar|no se pudo
    |errore|fallit*|negato|scadut*|bloccat*|non valid*|per continuare|impossibile
    |erro|falha|falhou|negado|expirou|expirad*|bloquead*|para continuar
    |fout|mislukt|geweigerd|verlopen|geblokkeerd|ongeldig|om door te gaan
    |blad|niepowodzenie|odmowa|wygasl*|zablokowan*|niewazn*|aby kontynuowac|nie udalo
    |ошибк*|отказано|истек*|заблокирован*|недействител*|чтобы продолжить|для продолжения|не удалось|сбой
    |hata|basarisiz|reddedildi|suresi doldu|engellendi|gecersiz|devam etmek icin
    |错误|錯誤|失败|失敗|拒绝|过期|無效|无效|被锁定|要继续|以继续|才能继续|无法|异常
    |エラー|失敗|拒否|期限切れ|無効|ロック|続行するには|続けるには|できません
    |오류*|실패*|거부*|만료*|잠금*|잠겼*|유효하지|계속하려면*|차단*
    |خطا|فشل|رفض|منتهي|انتهت|محظور|للمتابعة|تعذر
    |त्रुटि|विफल|अस्वीकृत|समाप्त|अमान्य|जारी रखने|लॉक`,
  data: `contents|content of|result|results|output|outputs|response|responses|data|information|everything|all files|file contents|files|documents|personal data|private data|messages|emails|contacts|address book|source code|query results|findings|details|notes|history|context|value|values|text|reply|answer|answers
    |inhalt*|ergebnis*|ausgabe|antwort*|daten|alles|dateien|nachrichten|kontakte|quellcode
    |contenu*|resultat*|sortie|reponse*|donnees|tout|fichiers|messages|informations
    |contenido*|resultado*|salida|respuesta*|datos|todo|archivos|mensajes|informacion
    |contenut*|risultat*|risposta|risposte|dati|tutto|file|messaggi|informazioni
    |conteudo*|resultado*|resposta*|dados|tudo|arquivos|mensagens|informacoes
    |inhoud|resultaat|resultaten|antwoord*|gegevens|alles|bestanden|berichten
    |zawartosc*|wynik*|odpowied*|dane|danych|wszystko|pliki|plikow|wiadomosci|tresc*
    |содержим*|результат*|ответ*|данны*|все|файл*|сообщени*|информаци*
    |icerik*|icerig*|sonuc*|yanit*|cevap*|veri*|her sey*|dosya*|mesaj*|bilgi*
    |内容|結果|结果|输出|回复|回答|数据|資料|所有|文件|消息|信息
    |内容|結果|出力|応答|回答|データ|すべて|全て|ファイル|メッセージ|情報
    |내용*|결과*|출력*|응답*|답변*|데이터*|모든|파일*|메시지*|정보*
    |محتوى|محتويات|نتائج|نتيجة|رد|بيانات|كل شيء|ملفات|رسائل|معلومات
    |सामग्री|परिणाम|उत्तर|डेटा|सब कुछ|फ़ाइल*|फाइल*|संदेश*|जानकारी`,
  praise: `recommend*|best choice|always suggest|promote*|endorse*|advertise*|praise*|favor|most trusted|superior|highly rated|five stars|5 stars|only reliable
    |empfehl*|empfiehl*|bewirb|recommand*|promeu*|vante*|recomiend*|recomend*|promociona*|raccomand*|consiglia*|promuov*|aanbeveel*|aanraden|polecaj*|rekomenduj*|reklam*|рекомендуй*|порекомендуй*|рекламируй*|хвали*|oner|tavsiye et*
    |推荐|推薦|宣传|推销|夸奖|おすすめ|推薦|勧め|宣伝|추천*|홍보*|اوصي|اوص|روج|सिफारिश|अनुशंसा|प्रचार`,
  loop: `repeatedly|in a loop|infinite*|forever|until it succeeds|endless*|recursively|times in a row|hundred times|thousand times|1000 times|100 times|as many times|without stopping|never stop|again and again|continuously
    |wiederhole|endlos*|in einer schleife|immer wieder|unendlich|en boucle|indefiniment|sans arret|repetidamente|en bucle|sin parar|indefinidamente|ripetutamente|all'infinito|senza fermarti|repetidamente|sem parar|herhaaldelijk|eindeloos|w petli|bez konca|wielokrotnie|бесконечно|в цикле|многократно|снова и снова|surekli|sonsuz*|dongu*
    |循环|无限|反复|不停|一直调用|繰り返し|無限|ループ|何度も|반복*|무한*|계속해서|باستمرار|بلا نهاية|حلقة|बार-बार|लगातार|अनंत`,
} as const;
