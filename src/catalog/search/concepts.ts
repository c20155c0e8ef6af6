import { splitWords, stemWord } from "./words.ts";

/**
 * Words of this field that people use for the same thing, in English first, then in German, French, Spanish, Italian and
 * Portuguese. A line is a concept; a word may belong to several.
 */
const lines = `
create: create add new make build generate insert register provision spin launch open file compose prepare set start establish post submit write draw produce design sketch plot erstellen erstelle anlegen anlege erzeugen hinzufugen machen aufmachen generieren eroffnen schreiben creer cree ajouter faire generer nouveau nouvelle crear anadir agregar nuevo nueva hacer generar creare aggiungere nuovo criar adicionar novo nova
list: list show all enumerate display view see overview browse index inventory available catalog which auflisten liste zeigen anzeigen anzeige zeige lister afficher montrer listar mostrar ver elencare mostrare listar exibir
get: get read retrieve fetch obtain load look lookup inspect describe detail details information info view show see check find query holen abrufen lesen lies laden nachsehen lire obtenir recuperer consulter leer obtener consultar leggere ottenere ler obter
search: search find look lookup query seek locate discover hunt grep match filter where google suchen suche durchsuchen finden finde chercher rechercher recherche trouver buscar encontrar busca cercare trovare cerca procurar pesquisar
delete: delete remove drop destroy erase purge clear wipe uninstall discard trash cancel clean terminate revoke loschen losche entfernen entferne vernichten supprimer effacer enlever retirer eliminar borrar quitar suprimir eliminare cancellare rimuovere excluir apagar remover
update: update edit modify change patch alter set adjust amend revise fix replace rewrite configure reconfigure correct aktualisieren andern bearbeiten anpassen ersetzen modifier changer mettre actualiser remplacer actualizar modificar cambiar editar reemplazar aggiornare modificare atualizar alterar
send: send post mail deliver submit transmit publish push dispatch announce tell notify broadcast share senden schicken verschicken abschicken sende envoyer poster publier enviar mandar publicar inviare spedire mandare
run: run execute start trigger launch invoke perform evaluate kick fire ausfuhren starten laufen executer lancer demarrer ejecutar iniciar correr lanzar eseguire avviare executar iniciar
stop: stop end halt terminate kill cancel abort close pause shut disable quit stoppen beenden anhalten schliessen abbrechen arreter fermer terminer annuler detener parar cerrar terminar cancelar fermare chiudere annullare fechar
restart: restart reboot rerun retry again redo repeat relaunch resume reopen restore neustarten wiederholen redemarrer relancer reintentar reiniciar repetir
cancel: cancel call unsubscribe abort revoke stop end terminate decline absagen stornieren kundigen annuler resilier cancelar anular annullare
rename: rename name move relabel title umbenennen renommer renombrar rinominare renomear
move: move relocate transfer put migrate shift drag rename verschieben umziehen deplacer mover trasladar spostare
copy: copy duplicate clone fork replicate kopieren kopie copier dupliquer copiar duplicar copiare
upload: upload import put attach push store hochladen importieren televerser importer subir cargar caricare enviar carregar
download: download export fetch save pull get herunterladen exportieren speichern telecharger exporter sauver descargar exportar guardar scaricare baixar
save: save store keep persist write put remember backup speichern sichern aufbewahren enregistrer sauvegarder conserver guardar almacenar salvare salvar
deploy: deploy release ship publish rollout launch install provision promote deployment bereitstellen veroffentlichen ausrollen deployer deploiement desplegar publicar distribuire implantar
install: install setup add deploy installieren einrichten installer instalar installare
undo: undo revert rollback reset restore back previous unstage ruckgangig zurucksetzen zuruck annuler retablir deshacer revertir ripristinare desfazer lost recover restore hard
enable: enable activate on turn switch toggle allow unlock einschalten aktivieren activer allumer activar habilitar encender attivare ativar
disable: disable deactivate off turn switch toggle block ausschalten deaktivieren desactiver eteindre desactivar apagar disattivare desativar
schedule: schedule cron periodic recurring timer trigger regularly plan daily hourly weekly every planen zeitplan planifier programmer programar horario pianificare agendar
monitor: monitor watch observe track check alert supervise uberwachen beobachten surveiller suivre vigilar supervisar monitorear monitorare whenever notify alert competitor changes notice keep eye
subscribe: subscribe follow watch listen abonnieren sabonner suscribir
accept: accept approve confirm respond answer rsvp decline reply agree invitation invite annehmen zusagen ablehnen antworten akzeptieren accepter repondre refuser aceptar responder rechazar accettare rispondere
reply: reply respond answer thread comment antworten antwort repondre reponse responder respuesta rispondere
comment: comment note remark discuss feedback annotate reply annotation kommentar kommentieren anmerkung bemerkung commentaire commenter remarque comentario comentar nota commento
review: review approve feedback check inspect changes proposal uberprufen prufen reviewer revision revisar
scale: scale resize grow shrink replicas instances capacity dynos number increase decrease skalieren vergrossern escalar redimensionar traffic load cope capacity handle peak overload more bigger
translate: translate translation localize localise language german french spanish ubersetzen ubersetzung sprache traduire traduction langue traducir traduccion idioma tradurre traduzir
summarize: summarize summary digest overview condense gist zusammenfassen zusammenfassung resumer resume resumir resumen riassumere
analyze: analyze analyse analysis investigate diagnose examine explain cause root why reason debug troubleshoot analysieren untersuchen ursache warum analyser diagnostiquer cause analizar investigar causa
compare: compare difference diff delta changed versus vergleichen unterschied comparer comparar diferencia
count: count number many total amount statistics sum quantity zahlen anzahl wieviele compter nombre contar numero cuantos
sort: sort order arrange rank sortieren trier ordenar 
merge: merge combine join integrate unite fusion zusammenfuhren verbinden vereinigen fusionner combiner fusionar combinar unire
click: click press tap push hit klicken klick drucken cliquer clic appuyer pulsar pinchar hacer cliccare clicar
type: type enter input fill key write eingeben tippen ausfullen saisir taper remplir escribir rellenar introducir digitare preencher
navigate: navigate go open visit browse url address link load offnen besuchen aufrufen aller ouvrir visiter ir abrir visitar navegar aprire andare
connect: connect connection link attach login verbinden verbindung connecter connexion conectar conexion collegare
login: login signin authenticate auth authorize account credentials anmelden einloggen connecter authentifier iniciar sesion autenticar accedere entrar
logout: logout signout abmelden ausloggen deconnecter cerrar
issue: issue ticket bug defect problem report task story incident fehler problem fehlerbericht probleme incidence anomalie problema incidencia error
error: error crash exception failure fault bug fail failed broken red wrong problem fehler absturz fehlschlag erreur plantage echec fallo error errore falha failing fails
repo: repo repository project codebase code source repositorium projekt depot projet repositorio proyecto progetto repositorio projeto
project: project repo repository workspace app projekt projekte projet projets proyecto proyectos progetto projeto
pr: pr pull request merge mr changes proposal mergerequest pullrequest fusion solicitud
commit: commit change changes history revision version committen anderung anderungen
branch: branch zweig branche rama ramo
message: message dm chat text post note mail conversation mitteilung nachricht nachrichten message mensaje messaggio mensagem
chat: chat channel room conversation slack discuss talk im kanal raum unterhaltung canal salon conversation charla sala canale
channel: channel room chat group team general kanal canal salon sala canale
thread: thread conversation replies discussion
email: email mail emails mails gmail inbox outlook message mailbox letter epost post postfach courriel courrier messagerie correo posta
draft: draft unsent prepare compose entwurf brouillon borrador bozza rascunho
attachment: attachment attach attached file pdf anhang anlage piecejointe jointe adjunto allegato anexo
label: label tag category etikett schlagwort etiquette etiqueta
filter: filter rule automatic automatically sort criteria filtre filtro never unwanted spam newsletters block junk
event: event meeting appointment calendar schedule invite date occurrence termin termine besprechung ereignis verabredung evenement rendezvous reunion rdv evento cita reunion appuntamento riunione compromisso
calendar: calendar agenda schedule diary planner day today tomorrow week kalender calendrier agenda calendario
availability: availability free busy freebusy available slot time frei verfugbar zeit disponible disponibilite libre ocupado disponibilidad
time: time date clock now today zeit uhrzeit datum heure temps date hora fecha ora
task: task todo reminder remind item action job aufgabe aufgaben erinnerung tache taches rappel tarea tareas recordatorio compito attivita tarefa todos
done: done complete completed finished close closed resolve fertig erledigt abgeschlossen termine fini fait terminado completado hecho mark tick check off
document: document doc docs page file article record text post dokument dokumente documents documento documentos
page: page site website webpage document tab url seite webseite page pagina sitio
website: website site web webpage page domain url internet webseite internetseite siteweb sitio web sito
web: web internet online www browser netz enlinea en
browser: browser tab page window chrome playwright web navigateur navegador
url: url link address uri href webaddress adresse lien enlace direccion
link: link url share shareable href verknupfung lien enlace vinculo collegamento
news: news article articles headlines press current nachrichten meldungen neuigkeiten schlagzeilen nouvelles actualites noticias notizie
image: image picture photo pictures photos png jpg svg figure graphic bild bilder foto fotos grafik imagen imagenes images immagine imagem
video: video clip movie film recording screencast vidéo pelicula
screenshot: screenshot capture snapshot screen image picture bildschirmfoto bildschirm aufnahme screenshot ecran captura pantalla schermata
file: file document files contents text path datei dateien fichier fichiers archivo archivos fichero file arquivo
folder: folder directory dir path directories ordner verzeichnis dossier repertoire carpeta directorio cartella pasta
content: content contents text body data inhalt inhalte text contenu contenido contenuto conteudo
metadata: metadata info information size date properties attributes modified big large groesse taille tamano
tree: tree hierarchy structure nested recursive baum struktur arbre arborescence arbol
database: database db sql postgres postgresql mysql mongo store datenbank base donnees basededatos datos banco dati
query: query sql select statement ask search abfrage requete consulta interrogazione
table: table tables sheet grid relation tabelle tabellen tableau tabla tablas tabella tabela
record: record row entry item document datensatz eintrag zeile enregistrement ligne registro fila entrada riga linha
row: row record line entry zeile ligne fila riga
field: field column property attribute cell feld spalte champ colonne campo columna colonna
schema: schema structure columns fields definition types types mapping model describe
collection: collection group set documents sammlung kollektion coleccion collezione
migration: migration migrate ddl schema alter upgrade
index: index indexes indices
spreadsheet: spreadsheet excel sheet workbook worksheet table csv cells tabellenkalkulation tableur hoja foglio planilha
cell: cell cells range zelle bereich cellule plage celda rango
chart: chart graph diagram plot visualize visualise visualization picture figure show draw diagramm grafik schaubild graphique diagramme grafico diagrama
bar: bar column columns balken saulen barres barras
pie: pie circle circular share proportion percentage kreis torte kuchen camembert secteurs circular tarta pastel torta
line: line trend time development over progress linie verlauf ligne courbe linea
trend: trend development over time months year growth entwicklung
flow: flow flowchart process steps workflow decision ablauf prozess processus flux flujo proceso
mindmap: mindmap mind brainstorm ideas mental mentale gedanken
hierarchy: hierarchy organization organisation org structure reports boss tree hierarchie jerarquia
funnel: funnel conversion stages drop pipeline trichter entonnoir embudo
frequency: frequency often most common distribution histogram haufigkeit
map: map karte carte mapa mappa place location
place: place location poi business shop restaurant cafe coffee store nearby near around local ort orte standort nahe lieu endroit lugar sitio luogo posto
nearby: nearby near around local close vicinity here nahe umgebung proche pres cerca vicino perto
directions: directions route navigate way drive driving travel path itinerary journey wegbeschreibung weg route fahrt itineraire trajet chemin ruta camino direcciones indicazioni percorso rota
distance: distance far travel time duration drive long entfernung strecke distanz fahrzeit distance duree distancia duracion distanza
address: address street location place adresse anschrift strasse adresse rue direccion calle indirizzo endereco lat long
coordinates: coordinates latitude longitude geocode geo position gps koordinaten coordonnees coordenadas coordinate lat long lng
elevation: elevation altitude height high above sea hill mountain hohe altitud altura altezza
reachable: reachable isochrone reach area within range minutes region erreichbar zone area
user: user person people member account profile contact developer coworker colleague benutzer nutzer person mitglied utilisateur personne membre usuario persona miembro utente
team: team group members organization people colleagues company mannschaft equipe equipo gruppo squadra
customer: customer client buyer account contact crm lead deal kunde kunden client clients acheteur cliente clientes
payment: payment charge pay transaction intent money paid checkout zahlung bezahlung paiement pago pagamento
refund: refund reimburse money return back chargeback erstatten erstattung ruckzahlung rembourser remboursement reembolso reembolsar devolver rimborso
invoice: invoice bill billing receipt rechnung rechnungen facture factura fattura fatura
subscription: subscription plan recurring membership abo abonnement mitgliedschaft suscripcion abbonamento assinatura
balance: balance funds money account amount guthaben kontostand solde saldo
coupon: coupon discount voucher promotion promo code percent gutschein rabatt reduction remise cupon descuento sconto off loyal offer deal
price: price cost pricing rate fee tariff retail expensive preis preise kosten prix cout precio coste prezzo preco
product: product item goods article produkt produit producto prodotto
dispute: dispute chargeback complaint claim streitfall litige disputa
server: server host machine instance backend vm serveur servidor
vm: vm virtual machine server compute instance virtuelle maschine virtuelle machine maquina virtual
container: container pod docker image kubernetes behalter conteneur contenedor
cluster: cluster kubernetes k8s nodes
node: node worker machine host knoten noeud nodo
pod: pod container
log: log logs output trace printed journal wrote protokoll protokolle ausgabe journal journaux registro registros salida
status: status state health alive condition progress check zustand stand etat estado stato stale unused safely
build: build ci pipeline compile job workflow tests continuous red broken failing failed
ci: ci pipeline build checks workflow job continuous integration circleci status green red red green
test: test tests flaky spec check testing essai prueba
workflow: workflow pipeline automation process job
queue: queue warteschlange file cola coda fila
secret: secret password credential credentials key token passphrase vault geheimnis passwort kennwort secret motdepasse contrasena secreto segreto senha
key: key schlussel cle clave chiave chave
certificate: certificate cert tls ssl zertifikat certificat certificado
variable: variable environment env config setting umgebungsvariable variable
config: config configuration settings setup preferences options konfiguration einstellungen parametres reglages configuracion ajustes impostazioni
flag: flag feature toggle switch experiment schalter drapeau bandera toggles safely old stale unused
release: release version deployment ship
version: version release revision rollback previous history fassung
audit: audit trail history log who changed when record
domain: domain dns zone hostname
route: route path mapping url
function: function lambda serverless edge worker
worker: worker function script edge
bucket: bucket storage container object r2 s3 blob
storage: storage blob bucket disk object speicher stockage almacenamiento
object: object item entity blob file
disk: disk drive volume storage platte disque disco
firewall: firewall ip allow access rule network
permission: permission access share rights role grant berechtigung zugriff rechte droit acces permiso acceso
share: share invite permission link sharing teilen freigeben partager compartir condividere
backup: backup snapshot restore recovery dump sicherung sauvegarde copia respaldo
slow: slow performance expensive latency blame outliers optimization plan explain langsam lent lento slowly sluggish lag laggy takes long
performance: performance speed slow fast trace lighthouse profile insight latency slowly loads loading sluggish lag laggy responsive render bottleneck langsam lent lento
maintenance: maintenance down downtime offline out service wartung mantenimiento offline temporarily back soon
app: app application program service software anwendung programm appli application aplicacion programa applicazione
device: device phone mobile tablet android ios gerat handy telefon appareil telephone dispositivo movil telefono
form: form fields inputs formular formulaire formulario modulo
button: button element knopf schaltflache taste bouton boton pulsante botao
scrape: scrape fetch extract crawl read content article markdown text harvest webpage get
crawl: crawl spider scrape site website
research: research investigate investigation study thorough deep comprehensive report literature forschung recherche investigacion
paper: paper papers literature scientific science arxiv study publication academic aufsatz studie article articulo
docs: docs documentation manual reference guide library api examples howto help dokumentation anleitung documentation documentacion newest version latest middleware howto learn sure
library: library package framework module sdk dependency bibliothek paket bibliotheque libreria
code: code source function snippet program usages quellcode codigo
memory: memory knowledge graph remember notes facts gedachtnis memoire memoria fact observation observations stored
entity: entity node object thing concept
relation: relation relationship edge association link
reaction: reaction emoji thumbs like react
change: change changes modification modified edit difference anderung changement cambio
stash: stash shelve aside temporarily uncommitted wip
history: history past previous log recent last verlauf historique historial lost reflog recover
textline: line lines row
who: who author authorship owner blame user responsible wer last changed each line edited wrote
shell: shell command terminal bash exec execute console befehl commande comando
port: port forward tunnel weiterleiten redirection
dialog: dialog popup alert prompt confirm
keyboard: keyboard key press type tastatur clavier teclado
mouse: mouse click hover drag
location: location gps position place standort lieu ubicacion
orientation: orientation rotate landscape portrait
clipboard: clipboard copy paste zwischenablage
crash: crash crashes report absturz
number: number count many amount quantity zahl nombre numero
select: select choose pick option dropdown drop item menu choice auswahlen auswahl choisir elegir seleccionar scegliere
accessibility: accessibility accessible blind seo a11y audit lighthouse quality best practices
design: design designer mockup figma layout prototype ui sketch wireframe entwurf maquette diseno
recover: recover restore lost undelete bring back reflog backup wiederherstellen recuperer recuperar
inspection: audit check scan inspect report score quality
types: types typescript typed typings definitions autocomplete intellisense
leave: leave create add put write comment
device: device handset smartphone iphone ipad simulator emulator handheld screen display
label: label category tag folder color colour
font: font bold italic underline heading headline typeface letters size style format formatting highlight
format: format style appearance look color colour border fill layout nice pretty
press: press hold finger tap touch long
gesture: swipe scroll pinch finger gesture tap drag flick
resolution: resolution pixels size dimensions width height screen display
queue: queue buffer jobs broker backlog waiting
schedule: interval hourly daily weekly nightly timers timer frequency
untracked: untracked unversioned leftover leftovers junk generated version control
discard: discard drop abandon throw away forget remove delete lose clean
association: association associate connect relate belong belongs works link assign attach relationship
disconnect: disconnect detach unlink separate unbind decouple remove delete
binding: binding bind bound connect connection link
drawing: drawing picture image art illustration painting photo artwork
model: model models llm ai gpt language
revenue: revenue sales income turnover earnings profit money metric value
worktree: worktree parallel simultaneously once two second working directory
merge: bring into combine promote production main
inside: inside within exec shell container
environment: environment env settings variables staging production stage
stage: stage staging production environment pipeline promote
print: print printing printed output log logs console
often: often count frequency times statistics number
failure: blow explode die fail failure error crash broken
reaction: acknowledge seen like emoji reaction thumbs
watch: watch monitor observe look daily check
invite: invite add member collaborator join
archive: archive put away hide keep
pause: pause hold suspend stop sleep freeze halt
resume: resume continue wake unpause restore
duplicate: duplicate copy clone same again
limit: limit quota maximum cap restrict
notify: notify alert inform warn message
stats: stats statistics metrics analytics usage numbers figures
usage: usage consumption used utilization resources
encrypt: encrypt certificate tls ssl secure https
`;

const byWord: ReadonlyMap<string, readonly string[]> = readConcepts();

/** What a word stands for; the names begin with a character that no word has. */
export function conceptsOf(stem: string): readonly string[] {
  return byWord.get(stem) ?? [];
}

/** Every word of the table, for those who check spelling. */
export function conceptWords(): Iterable<string> {
  return lines.trim().split("\n").flatMap(splitWords);
}

function readConcepts(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const line of lines.trim().split("\n")) {
    const colon = line.indexOf(":");
    const concept = `=${line.slice(0, colon)}`;
    for (const stem of new Set(splitWords(line.slice(colon + 1)).map(stemWord))) {
      const concepts = found.get(stem);
      if (concepts === undefined) found.set(stem, [concept]);
      else concepts.push(concept);
    }
  }
  return found;
}
