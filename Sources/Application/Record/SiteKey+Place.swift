import FoundationEssentials
import Host
import Journal
package import Model

extension SiteKey {
  /// The seal of the site's key, if the key exists: a command that only reads creates none.
  /// - Throws: `CommandFailure` when the key cannot be used.
  package static func existingSeal(for building: Building, _ siteKey: String?) throws -> SecretSeal? {
    guard FileManager.default.fileExists(atPath: path(siteKey)) else { return nil }
    return try seal(for: building, siteKey)
  }

  /// The path of the site's key, which may not exist yet.
  /// - Parameter siteKey: The chosen path; nil for the usual one.
  package static func path(_ siteKey: String?) -> String {
    siteKey ?? HostEnvironment.stateDirectory + "/site.key"
  }

  /// The seal of the site's key, for a building that has secrets.
  /// - Throws: `CommandFailure` when there is no key and none can be made.
  /// - Parameter isRehearsal: Whether no key is made. Then nothing on record can tell whether a secret changed.
  static func seal(
    for building: Building, _ siteKey: String?, isRehearsal: Bool = false
  ) throws -> SecretSeal? {
    guard building.rooms.contains(where: { !$0.secrets.isEmpty }) else { return nil }
    let path = path(siteKey)
    if isRehearsal, !FileManager.default.fileExists(atPath: path) { return nil }
    do throws(JournalError) {
      return try seal(at: path) { Surroundings.randomBytes(length) }
    } catch {
      let advice =
        switch error.cause {
        case .readableByOthers: "It lets others find out passwords: `chmod 600 \(path)`."
        case .notAKey: "Name the right file with --site-key FILE, or move this one away: a new key is made."
        default: "Name a place that you can write with --site-key FILE."
        }
      throw CommandFailure(.record, "the site's key: \(error)", advice: advice)
    }
  }
}
