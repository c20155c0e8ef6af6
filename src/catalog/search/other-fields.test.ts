import { expect, test } from "vitest";
import { createToolIndex } from "./tool-index.ts";

/** Tools as servers for daily life and for other professions have them. */
const tools = `
weather__get_forecast: Get the weather forecast for a location
weather__get_alerts: Get active weather alerts for a state
home__HassTurnOn: Turns on a device or entity
home__HassLightSet: Sets the brightness or color of a light
home__HassClimateSetTemperature: Sets the target temperature of a climate device
home__HassMediaPause: Pauses a media player
spotify__searchTracks: Search for tracks on Spotify
spotify__createPlaylist: Create a new playlist
spotify__playMusic: Start playing a track, album, artist or playlist
shopify__get-orders: Get orders with filtering
shopify__get-products: Get all products or search by title
shopify__update-inventory: Adjust the stock quantity of a variant
shopify__create-discount: Create a basic discount code
jira__create_issue: Create a new Jira issue
jira__transition_issue: Transition an issue to another status
confluence__create_page: Create a new Confluence page
zendesk__create_ticket_comment: Create a new comment on an existing Zendesk ticket
zendesk__get_tickets: Fetch the latest tickets
quickbooks__create_bill: Create a bill for a vendor
quickbooks__search_invoices: Search invoices by criteria
quickbooks__profit_and_loss: Run the profit and loss report
finance__get_stock_info: Get the current price and metrics of a stock
finance__get_recommendations: Get analyst recommendations for a ticker
coingecko__get_simple_price: Current price of coins in a currency
flights__search_flights: Search for flights between airports
airbnb__airbnb_search: Search for Airbnb listings with filters
maps__maps_directions: Get directions between two points
youtube__get_transcript: Get the transcript of a YouTube video
media__trim_video: Trim a video to a start and end time
media__convert_audio_format: Convert an audio file to another format
speech__text_to_speech: Convert text to speech with a given voice
speech__speech_to_text: Transcribe speech from an audio file
pdf__merge_pdfs: Merge multiple PDF files into one
pdf__ocr_document: Extract text from a scanned document
qr__generate_qrcode: Generate a QR code from text
time__convert_time: Convert time between timezones
calculator__calculate: Evaluates a mathematical expression
pagerduty__list_oncalls: List on-call entries
pagerduty__create_incident: Create a new incident
grafana__query_prometheus: Query Prometheus metrics
grafana__search_dashboards: Search for dashboards
docker__list_containers: List all Docker containers
docker__fetch_container_logs: Fetch the logs of a Docker container
dns__create_record: Create a DNS record
hr__create_leave_request: Submit a leave request for an employee
hr__list_employees: List employees
mailchimp__create_campaign: Create an email campaign
twitter__post_tweet: Post a new tweet
typeform__get_responses: Get the responses of a form
docusign__send_envelope: Send an envelope for signature
dhl__track_shipment: Track a shipment by its number
bitwarden__get_item: Get a login item from the vault
snyk__scan_dependencies: Scan a project for vulnerabilities
powerpoint__add_slide: Add a slide to a presentation
obsidian__append_content: Append content to a note in the vault
anki__add_note: Add a flashcard to a deck
strava__get_activities: Get recent activities of the athlete
wikipedia__get_summary: Get a summary of a Wikipedia article
deepl__translate_text: Translate text to a target language`
  .trim()
  .split("\n")
  .map((line) => {
    const [name = "", description = ""] = line.split(": ");
    return { name, source: name.slice(0, name.indexOf("__")), description };
  });
const index = createToolIndex(tools);

test.each([
  ["do I need an umbrella tomorrow", "get_forecast"],
  ["it is too dark in the living room", "HassLightSet"],
  ["I am freezing in here", "HassClimateSetTemperature"],
  ["music for my birthday party", "createPlaylist"],
  ["we ran out of blue shirts", "update-inventory"],
  ["give regulars ten percent off", "create-discount"],
  ["what did people buy today", "get-orders"],
  ["answer the angry customer", "create_ticket_comment"],
  ["are we making any money", "profit_and_loss"],
  ["who has not paid us yet", "search_invoices"],
  ["how are my apple shares doing", "get_stock_info"],
  ["what is one bitcoin worth", "get_simple_price"],
  ["cheap plane to Lisbon", "search_flights"],
  ["somewhere to stay in Rome", "airbnb_search"],
  ["what is said in this clip", "get_transcript"],
  ["only keep the first minute of the film", "trim_video"],
  ["read this text aloud to me", "text_to_speech"],
  ["type up the recording of the interview", "speech_to_text"],
  ["put these three documents together", "merge_pdfs"],
  ["get the words off a scanned letter", "ocr_document"],
  ["a code that phones can scan", "generate_qrcode"],
  ["what time is it for our friends in Tokyo", "convert_time"],
  ["what is 15 percent of 80", "calculate"],
  ["whom do I wake up tonight", "list_oncalls"],
  ["everything is down, alarm the team", "create_incident"],
  ["how busy is the processor", "query_prometheus"],
  ["point my subdomain at the new server", "create_record"],
  ["I would like Friday off", "create_leave_request"],
  ["send the newsletter to all our readers", "create_campaign"],
  ["tell my followers about the release", "post_tweet"],
  ["what did people answer in our survey", "get_responses"],
  ["have the contract signed by the client", "send_envelope"],
  ["where is my parcel", "track_shipment"],
  ["my login for the bank", "get_item"],
  ["do our packages have known holes", "scan_dependencies"],
  ["how far did I run this week", "get_activities"],
  ["learn Spanish vocabulary by heart", "add_note"],
  ["how do you say this in French", "translate_text"],
  ["Wie wird das Wetter morgen?", "get_forecast"],
  ["où est mon colis", "track_shipment"],
  ["pon música", "playMusic"],
  ["サイン契約書", "send_envelope"],
])("%s finds %s", (query, name) => {
  const found = index.search([query], 5).map((tool) => tool.name.split("__")[1]);
  expect(found).toContain(name);
});
