import Application
import ArgumentParser

/// Options for phones that read labels.
struct PhoneOptions: ParsableArguments {
  @Flag(help: "Read the labels with phones: show the code that the first one scans.")
  var phone = false

  @Option(
    help: ArgumentHelp(
      "With --phone: the address of this computer in the network of the phones, and a port; without one a free port.",
      valueName: "address[:port]"))
  var listen: PageServer.Place?

  /// Where it listens.
  var place: PageServer.Place { listen ?? PageServer.Place(address: "127.0.0.1", port: 0) }

  /// The options as they follow the manifest in a command line.
  var words: String {
    let address = listen.map { " --listen \($0.host)" + ($0.port > 0 ? ":\($0.port)" : "") }
    return phone ? " --phone" + (address ?? "") : ""
  }

  func validate() throws {
    if listen != nil, !phone { throw ValidationError("--listen needs --phone") }
  }
}
