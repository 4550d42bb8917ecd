import Bluetooth
import Foundation

/// What the kernel tells of the controller behind an adapter (`/sys/class/bluetooth/hci0`).
struct ControllerFiles: Sendable {
  /// Where the kernel's class of Bluetooth controllers is.
  let folder: String

  /// Those of this host; of a bus that is not the system's own nothing is known here.
  static let system = ControllerFiles(folder: "/sys/class/bluetooth")

  /// Those of this host; nil where the adapters are virtual, or those of a bus that may be another host's.
  static func ofThisHost(unless isSimulated: Bool) -> ControllerFiles? {
    isSimulated || HostEnvironment.systemBusAddress != nil ? nil : system
  }

  /// The controller of an adapter: what the stack tells of it, and what the kernel does.
  func hardware(of adapter: Adapter) -> AdapterHardware? {
    // An adapter of another bus may have the name of one of this host.
    guard HostEnvironment.systemBusAddress == nil else { return adapter.hardware }
    return hardware(of: adapter.name, adding: adapter.hardware)
  }

  /// The controller that the kernel knows by this name.
  func hardware(of name: String, adding known: AdapterHardware?) -> AdapterHardware? {
    let link = "\(folder)/\(name)/device"
    guard !name.contains("/"),
      let place = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"),
      FileManager.default.fileExists(atPath: link)
    else { return known }
    var hardware = known ?? AdapterHardware()
    // `../../devices/pci0000:00/…/usb1/1-3/1-3:1.0/bluetooth/hci0`
    let path = place.split(separator: "/").filter { $0 != ".." }.dropLast(2).map(String.init)
    // From the bus on: what is above it is the board's own.
    let start = path.firstIndex { $0.hasPrefix("usb") || $0.hasPrefix("serial") || $0.hasPrefix("tty") }
    hardware.path = path[(start ?? max(0, path.count - 1))...].joined(separator: "/")
    hardware.bus = last(of: link + "/subsystem")
    hardware.driver = last(of: link + "/driver")
    // Of USB, `device` is an interface; the device is one above.
    let usb = link + "/.."
    if let vendor = text(usb + "/idVendor"), let product = text(usb + "/idProduct") {
      hardware.identifier = "\(vendor):\(product)"
      hardware.product = [text(usb + "/manufacturer"), text(usb + "/product")].compactMap(\.self)
        .joined(separator: " ")
      if hardware.product?.isEmpty == true { hardware.product = nil }
    }
    return hardware
  }

  private func last(of link: String) -> String? {
    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
    return target?.split(separator: "/").last.map(String.init)
  }

  /// A file's text on one line, at most 100 characters of it: a device names itself.
  private func text(_ path: String) -> String? {
    guard let data = FileManager.default.contents(atPath: path), !data.isEmpty else { return nil }
    let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    return text.isEmpty ? nil : String(text.prefix(100))
  }
}
