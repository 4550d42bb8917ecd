import Bluetooth
import FoundationEssentials
import Host

/// The kernel's files about the controller behind an adapter (`/sys/class/bluetooth/hci0`).
package struct ControllerFiles: Sendable {
  private let tree: FileTree
  /// The folder of the kernel's Bluetooth controllers.
  static let folder = "/sys/class/bluetooth"

  init(_ tree: FileTree) { self.tree = tree }

  /// The files of this host.
  static let system = ControllerFiles(.below(""))

  /// The files of this host; nil if the adapters are virtual, or on a bus that may belong to another host.
  package static func ofThisHost(unless isSimulated: Bool) -> ControllerFiles? {
    isSimulated || HostEnvironment.systemBusAddress != nil ? nil : system
  }

  /// The controller of an adapter, by the stack and the kernel.
  func hardware(of adapter: Adapter) -> AdapterHardware? {
    // An adapter on another bus can have the same name as one of this host.
    guard HostEnvironment.systemBusAddress == nil else { return adapter.hardware }
    return hardware(of: adapter.name, adding: adapter.hardware)
  }

  /// The controller with this name in the kernel, added to the facts already known.
  func hardware(of name: String, adding known: AdapterHardware?) -> AdapterHardware? {
    let link = "\(Self.folder)/\(name)/device"
    guard !name.contains("/"),
      let place = tree.target(ofLink: "\(Self.folder)/\(name)"), tree.has(link)
    else { return known }
    var hardware = known ?? AdapterHardware()
    // `../../devices/pci0000:00/…/usb1/1-3/1-3:1.0/bluetooth/hci0`
    let path = place.split(separator: "/").filter { $0 != ".." }.dropLast(2).map(String.init)
    // The part from the bus on; the part above belongs to the board.
    let start = path.firstIndex { $0.hasPrefix("usb") || $0.hasPrefix("serial") || $0.hasPrefix("tty") }
    hardware.path = path[(start ?? max(0, path.count - 1))...].joined(separator: "/")
    hardware.bus = tree.targetName(ofLink: link + "/subsystem")
    hardware.driver = tree.targetName(ofLink: link + "/driver")
    // For USB, `device` is an interface; the USB device is one level above.
    let usb = link + "/.."
    if let vendor = text(usb + "/idVendor"), let product = text(usb + "/idProduct") {
      hardware.identifier = "\(vendor):\(product)"
      hardware.product = [text(usb + "/manufacturer"), text(usb + "/product")].compactMap(\.self)
        .joined(separator: " ")
      if hardware.product?.isEmpty == true { hardware.product = nil }
    }
    return hardware
  }

  /// The kernel's state of the block: `rfkill<N>/soft` and `rfkill<N>/hard` in the adapter's folder
  /// (rfkill.rst in the kernel's documentation); nil without these files.
  func block(of name: String) -> RadioBlock? {
    let place = "\(Self.folder)/\(name)"
    guard !name.contains("/"), let entries = tree.names(in: place),
      let entry = entries.filter({ $0.hasPrefix("rfkill") }).sorted().first
    else { return nil }
    func flag(_ name: String) -> Bool? {
      switch tree.text(of: "\(place)/\(entry)/\(name)") {
      case "0": false
      case "1": true
      default: nil
      }
    }
    guard let soft = flag("soft"), let hard = flag("hard") else { return nil }
    return hard ? .hardware : soft ? .software : RadioBlock.none
  }

  /// The names of the kernel's adapters: `hci0`.
  var names: [String] {
    let entries = tree.names(in: Self.folder) ?? []
    // `hci0:256` is a link of an adapter.
    return entries.filter { $0.hasPrefix("hci") && !$0.contains(":") }.sorted()
  }

  /// A file's text, at most 100 characters: a USB device chooses its own name.
  private func text(_ path: String) -> String? {
    tree.text(of: path).flatMap { $0.isEmpty ? nil : String($0.prefix(100)) }
  }
}
