import { available, invalidRequest } from "../capability.ts";
import { asRecord } from "../../../core/is-record.ts";
import type { DesktopCommand, DesktopTools } from "../desktop/desktop-tools.ts";
import { videoCommand, maxPictureBytes } from "../desktop/ffmpeg.ts";
import type { Monitor, Screen } from "./screen.ts";

const powershell = (script: string): DesktopCommand => [
  "powershell.exe",
  "-NoProfile",
  "-NonInteractive",
  "-Command",
  script,
];

const listScript = `
Add-Type -AssemblyName System.Windows.Forms
$all = @([System.Windows.Forms.Screen]::AllScreens | ForEach-Object { @{ name = $_.DeviceName; primary = $_.Primary
  x = $_.Bounds.X; y = $_.Bounds.Y; width = $_.Bounds.Width; height = $_.Bounds.Height } })
ConvertTo-Json -Compress -InputObject $all
`;

/** The numbers come as variables and are never part of the script. The picture goes to stdout as base64. */
const pictureScript = `
Add-Type -AssemblyName System.Windows.Forms, System.Drawing
$whole = [System.Windows.Forms.SystemInformation]::VirtualScreen
$x = $whole.X; $y = $whole.Y; $width = $whole.Width; $height = $whole.Height
if ($env:CLAWPORT_AREA) { $x, $y, $width, $height = $env:CLAWPORT_AREA -split ',' | ForEach-Object { [int]$_ } }
$picture = New-Object System.Drawing.Bitmap $width, $height
[System.Drawing.Graphics]::FromImage($picture).CopyFromScreen($x, $y, 0, 0, $picture.Size)
$most = [int]$env:CLAWPORT_MAX_WIDTH
if ($width -gt $most) {
  $size = New-Object System.Drawing.Size $most, ([Math]::Max(1, [int]($height * $most / $width)))
  $picture = New-Object System.Drawing.Bitmap $picture, $size
}
$stream = New-Object System.IO.MemoryStream
if ($env:CLAWPORT_FORMAT -eq 'jpeg') {
  $codec = [System.Drawing.Imaging.ImageCodecInfo]::GetImageEncoders() | Where-Object { $_.MimeType -eq 'image/jpeg' }
  $options = New-Object System.Drawing.Imaging.EncoderParameters 1
  $quality = [System.Drawing.Imaging.Encoder]::Quality
  $options.Param[0] = New-Object System.Drawing.Imaging.EncoderParameter $quality, ([long]$env:CLAWPORT_QUALITY)
  $picture.Save($stream, $codec, $options)
} else { $picture.Save($stream, [System.Drawing.Imaging.ImageFormat]::Png) }
[Convert]::ToBase64String($stream.ToArray())
`;

/** Windows: PowerShell takes pictures, ffmpeg films. Not tested. */
export function createPowershellScreen(tools: DesktopTools): Screen {
  return {
    probeList: () => Promise.resolve(available),
    probePicture: () => Promise.resolve(available),
    probeFilm: () => tools.need({ ffmpeg: "ffmpeg" }),
    async monitors(signal) {
      return parseScreens(JSON.parse((await tools.run(powershell(listScript), { signal })).toString("utf8")));
    },
    async takePicture({ monitor, window }, { format, maxWidth, quality }, signal) {
      if (window !== undefined) throw invalidRequest("One window can't be captured on Windows. Leave `windowId` out.");
      const env = {
        CLAWPORT_AREA: monitor === undefined ? "" : [monitor.x, monitor.y, monitor.width, monitor.height].join(","),
        CLAWPORT_MAX_WIDTH: String(maxWidth),
        CLAWPORT_FORMAT: format,
        CLAWPORT_QUALITY: String(Math.round(quality * 100)),
      };
      const text = await tools.run(powershell(pictureScript), { signal, env, maxBytes: 2 * maxPictureBytes });
      return Buffer.from(text.toString("latin1"), "base64");
    },
    async film({ monitor, sound, path }, format, signal) {
      const { x, y, width, height } = monitor;
      const area = ["-offset_x", String(x), "-offset_y", String(y), "-video_size", `${width}x${height}`];
      const input = ["-f", "gdigrab", "-framerate", String(format.fps), ...area, "-i", "desktop"];
      const inputs = sound === undefined ? [input] : [input, sound];
      await tools.run(videoCommand(inputs, format, path), { signal, timeoutMs: format.durationMs + 30_000 });
      return format.fps;
    },
  };
}

export function parseScreens(value: unknown): readonly Monitor[] {
  return (Array.isArray(value) ? value : [value])
    .map(asRecord)
    .map(({ name, primary, x, y, width, height }, index) => ({
      index,
      name: String(name),
      primary: primary === true,
      x: Number(x),
      y: Number(y),
      width: Number(width),
      height: Number(height),
    }));
}
