import DBus
import Model
import Journal
import Reporting
import Zip

/// The versions of the software in a building's runs, and of the software that makes the bundle.
struct BundleVersions {
  /// One line for each.
  let text: String

  init(_ archive: BuildingArchive) {
    var lines = [
      "Where this bundle was made", "  roboprov \(Version.current)",
      "  \(HostEnvironment.kernel ?? "kernel not known")",
      "  \(HostEnvironment.operatingSystem ?? "operating system not known")", "  \(Self.bluez)",
      "  \(DBusLibrary.version)", "  \(ZipWriter.libraryVersion)", "", "On record",
    ]
    for run in archive.runs {
      guard let started = run.started else {
        lines.append("  \(run.id): nothing")
        continue
      }
      let stack = RunReport(run.record.events).stack
      let parts = [
        "roboprov \(started.toolVersion)", "host \(started.host)", started.kernel ?? "kernel not on record",
        started.operatingSystem, stack ?? "Bluetooth stack not on record",
      ]
      lines.append("  \(run.id): \(parts.compactMap { $0?.visible }.joined(separator: ", "))")
    }
    text = lines.map { $0 + "\n" }.joined()
  }

  /// The installed BlueZ.
  private static var bluez: String {
    let outcome = ToolOutcome(["bluetoothctl", "--version"], within: .seconds(5))
    guard outcome.status == 0, !outcome.output.isEmpty else {
      return "BlueZ not known: bluetoothctl was not found"
    }
    return outcome.output.visible
  }
}
