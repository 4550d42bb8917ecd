import Application
import ArgumentParser
import Bluetooth
import Model

/// Further computers whose adapters a command uses.
struct HostOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Also use the adapters of another computer, through ssh: a name for it, and its destination. Repeatable.",
      valueName: "name=destination"))
  var host: [String] = []

  func validate() throws {
    var known: [HostDescription] = []
    for text in host {
      guard let description = Self.host(text) else {
        throw ValidationError(
          "--host takes a name of a–z, 0–9 and hyphens, =, and a destination of ssh, as in floor-3=pi@gw3; "
            + HostDescription.destinationRule)
      }
      if known.contains(where: { $0.name == description.name || $0.ssh == description.ssh }) {
        throw ValidationError("--host names \(text.visible) twice")
      }
      known.append(description)
    }
  }

  private static func host(_ text: String) -> HostDescription? {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let name = HostName(parts[0]), HostDescription.isDestination(parts[1]) else {
      return nil
    }
    return HostDescription(name, ssh: parts[1])
  }

  /// Those of the options, and of a building's manifest unless an option gives one of the same name or destination.
  func hosts(with building: Building?) -> [HostDescription] {
    let own = host.compactMap(Self.host)
    let manifest = building?.hosts ?? []
    return own
      + manifest.filter { host in !own.contains { $0.name == host.name || $0.ssh == host.ssh } }
  }
}

extension BluetoothAccess {
  /// The radio together with the adapters of other computers.
  func joining(_ options: HostOptions, of building: Building? = nil) -> BluetoothAccess {
    var access = self
    access.hosts = options.hosts(with: building)
    return access
  }
}
