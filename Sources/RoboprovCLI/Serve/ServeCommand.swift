import Application
import ArgumentParser
import CLinux
import FoundationEssentials
import Host
import Model
import QRCode
import Reporting

/// `roboprov serve`: shows the building on phones while it is provisioned.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Show the building on phones: what is left, where, and what to do, as it happens.",
    discussion: """
      roboprov serve building.yaml --listen 192.168.178.20
      roboprov serve building.yaml --listen 192.168.178.20:8080

      Serves a page until Ctrl-C, and prints its address with a QR code. The page follows the record: start `roboprov apply` in \
      another terminal. It only reads: it takes no lock, and no phone can change anything.

      Without --listen only this computer can open the page. Whoever has the address can see the building's rooms and devices, \
      but no password; the address is new each time. The connection is not encrypted, so use a network that you trust.
      """)

  @Argument(help: BuildingReference.help, completion: .building)
  var building: String

  @Option(
    help: ArgumentHelp(
      "The address of this computer in the network of the phones, and a port; without one a free port.",
      valueName: "address[:port]"))
  var listen = PageServer.Place(address: "127.0.0.1", port: 0)

  @Option(help: ArgumentHelp("The reports directory.", valueName: "dir"), completion: .directory)
  var reports = Preferences.current.reports

  @OptionGroup var seal: SealOptions

  func run() async throws {
    let interruptions = Interruptions()
    let server = try PageServer(building, reports: reports, siteKey: seal.siteKey, at: listen)
    listen.show(
      server.address, "Serving the page until Ctrl-C. Whoever has this address can see the building:")
    try await interruptions.cancelling { await server.run() }
  }
}

extension PageServer.Place {
  /// Shows the address of a page: as a code for those who can open it.
  func show(_ address: String, _ words: String) {
    if isLocal {
      Console.say("Only this computer can open the page. For phones name an address of it with --listen.")
    } else if Screen.standardError.isTerminal, let code = QRCode(address) {
      Console.show(code)
    }
    Console.say(words)
    Console.data(address + "\n")
  }
}

extension PageServer.Place: ExpressibleByArgument {
  /// `192.168.178.20`, `192.168.178.20:8080`, `fd00::20` or `[fd00::20]:8080`. An address that stands for all of a computer is
  /// none: the page would be open to networks that nobody named.
  package init?(argument: String) {
    var (address, port) = (argument[...], 0)
    // Several colons without brackets are an address without a port.
    if let colon = argument.lastIndex(of: ":"),
      argument[..<colon].last == "]" || !argument[..<colon].contains(":")
    {
      guard let number = UInt16(argument[argument.index(after: colon)...]) else { return nil }
      (address, port) = (argument[..<colon], Int(number))
    }
    if address.first == "[", address.last == "]" { address = address.dropFirst().dropLast() }
    guard clinux_is_address(String(address)), address.contains(where: { !"0:.".contains($0) }) else {
      return nil
    }
    self.init(address: String(address), port: port)
  }

  package var defaultValueDescription: String { address }
}
